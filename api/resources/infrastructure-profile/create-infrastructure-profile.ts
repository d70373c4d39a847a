import { z } from "zod";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import { certificateValidity } from "../../../domain/certificate-profile.ts";
import { infrastructureKeyType, KeyType } from "../../../domain/device.ts";
import { profileRefusal } from "../../../domain/entitlement.ts";
import { ProfileName } from "../../../domain/profile.ts";
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
  keyType: KeyType.default(infrastructureKeyType).describe("What a RADIUS server of any age takes."),
});

export const createInfrastructureProfile = endpoint({
  operation: "createInfrastructureProfile",
  summary: "Create a profile for a server or an access point",
  description: "A name that is a DNS name becomes that of the certificate.",
  method: "post",
  path: "/api/infrastructure-profile/:name",
  access: "admin",
  scope: "infrastructure.create",
  params: z.object({ name: ProfileName }),
  body: InfrastructureProfileCreation,
  data: CreatedInfrastructureProfileView,
  pending: issuanceViewOf(CreatedInfrastructureProfileView),
  errors: certificateCreationErrors,
  changes: true,

  async handle({ params: { name }, body, principal, deps, prefer, change, log, signal, fail }) {
    const { realmId } = principal;
    const { format, validityMonths, description = null, keyType, csr = null } = body;
    const createdAt = deps.clock.now();
    let isNew = false;

    const id = await change(async (tx) => {
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
      });
      return issuanceId;
    });

    const view = createdInfrastructureProfileView;
    const call = { deps, prefer, log, signal, errors: certificateCreationErrors, fail };
    return finishIssuance({ id, isNew, createdAt, view }, call);
  },
});
