import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { certificateValidity, isDnsName, isWithinDomains } from "../../../domain/certificate/certificate-profile.ts";
import { infrastructureKeyType, KeyType } from "../../../domain/certificate/device.ts";
import { profileRefusal } from "../../../domain/certificate/entitlement.ts";
import { InfrastructureProfileName } from "../../../domain/certificate/server-name.ts";
import { permittedDomains } from "../../../domain/realm.ts";
import { lines } from "../../../domain/text.ts";
import { drawIssuanceId } from "../../../runtime/draw-ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { finishIssuance } from "../issuance/finish-issuance.ts";
import { actorOf } from "../../contract/principal.ts";
import { CertificateCreation, certificateCreationErrors } from "../profile/profile-creation.ts";
import {
  CreatedInfrastructureProfileView,
  createdInfrastructureProfileView,
} from "../../contract/views/infrastructure-profile-view.ts";
import { issuanceViewOf } from "../../contract/views/issuance-view.ts";

const { infrastructureMonthsMin, infrastructureMonthsMax } = certificateValidity;

const InfrastructureProfileCreation = CertificateCreation.extend({
  validityMonths: z.int().min(infrastructureMonthsMin).max(infrastructureMonthsMax),
  description: lines(2_000).nullish(),
  keyType: KeyType.default(infrastructureKeyType).describe("A format that RADIUS servers of any age accept."),
});

const infrastructureProfileErrors = ["name_not_permitted", ...certificateCreationErrors] as const;

export const createInfrastructureProfile = endpoint({
  operation: "createInfrastructureProfile",
  summary: "Create a profile for a server or an access point",
  description:
    "A DNS name becomes the name in the certificate, without a final dot; a name with *, _ or letters beyond ASCII is refused. It has to be in the realm's domain or in one that the operator added; any other name is certified under a random identity.",
  method: "post",
  path: "/api/infrastructure-profile/:name",
  access: "staff",
  scope: "infrastructure.create",
  params: z.object({ name: InfrastructureProfileName }),
  body: InfrastructureProfileCreation,
  data: CreatedInfrastructureProfileView,
  pending: issuanceViewOf(CreatedInfrastructureProfileView),
  errors: infrastructureProfileErrors,
  changes: true,

  async handle({ params: { name }, body, principal, deps, prefer, change, requestId, concerns, log, signal, fail }) {
    const { realmId } = principal;
    const { format, validityMonths, description = null, keyType, csr = null } = body;
    const createdAt = deps.clock.now();
    let isNew = false;

    const id = await change(async (tx) => {
      const nameRefusal = await refusalOfName(tx, realmId, name);
      if (nameRefusal !== undefined) throw fail("name_not_permitted", { description: nameRefusal });
      const issuerNotAfter = await issuers.findIssuingEnd(tx, realmId);
      const refusal = profileRefusal({ kind: "infrastructure", validityMonths, issuerNotAfter }, createdAt);
      if (refusal !== undefined) throw fail(refusal);
      isNew = true;
      const issuanceId = drawIssuanceId();
      await issuances.create(tx, {
        id: issuanceId,
        realmId,
        kind: "infrastructure",
        userId: null,
        guestAccountId: null,
        name,
        description,
        deviceType: null,
        format,
        keyType,
        csr,
        authable: false,
        validityMonths,
        at: createdAt,
        actor: actorOf(principal),
        requestId,
      });
      return issuanceId;
    });

    const view = createdInfrastructureProfileView;
    const call = { deps, prefer, concerns, log, signal, errors: infrastructureProfileErrors, fail };
    return finishIssuance({ id, isNew, createdAt, view }, call);
  },
});

/**
 * Returns the reason why the realm does not certify a name; undefined if it does. The signing thread repeats the check.
 */
async function refusalOfName(tx: Db, realmId: string, name: string): Promise<string | undefined> {
  if (!isDnsName(name)) return undefined;
  const realm = await realms.findById(tx, realmId);
  if (realm === undefined) return undefined;
  const permitted = permittedDomains(realm);
  if (!isWithinDomains(name, permitted)) {
    const added = [...realm.infrastructureDomains, name.toLowerCase()].map(
      (each) => ` --infrastructure-domain ${each}`,
    );
    return (
      `A DNS name has to be in one of this realm's domains: ${permitted.join(", ")}. ` +
      `An operator adds another with: operator realm set --realm ${realm.name}${added.join("")}`
    );
  }
  const issuerDomains = await issuers.findIssuingDomains(tx, realmId);
  if (issuerDomains === null || isWithinDomains(name, issuerDomains)) return undefined;
  return (
    `The realm permits this name, but its issuing CA does not; it permits DNS names in ${issuerDomains.join(", ")}. ` +
    `An operator creates a CA that does with: operator issuer rotate --realm ${realm.name}`
  );
}
