import { z } from "zod";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { ClientID } from "../../../domain/ids.ts";
import { secretOverlapHoursMax } from "../../../domain/lifetimes.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { applicationView, ApplicationWithSecretView } from "../../contract/views/application-view.ts";
import { newSecret, openSecret } from "./application-secret.ts";
import { requireHeld } from "./registration.ts";

export const rotateClientSecret = endpoint({
  operation: "rotateClientSecret",
  summary: "Give an application a new secret",
  description:
    "The old one stays valid for `overlapHours`; at 0 it ends at once, with the tokens obtained with it. No more than two are valid at a time.",
  method: "post",
  path: "/api/applications/:client_id/secret",
  access: "staff",
  scope: "application.modify",
  params: z.object({ client_id: ClientID }),
  body: z.object({ overlapHours: z.int().min(0).max(secretOverlapHoursMax).default(0) }),
  data: ApplicationWithSecretView,
  errors: ["application_not_found", "no_client_secret"],
  unknown: { client_id: "application_not_found" },
  changes: true,

  async handle(call) {
    const { params, body, principal, deps, change, fail } = call;
    const { realmId } = principal;
    const { client_id: clientId } = params;
    const { overlapHours } = body;
    const at = deps.clock.now();

    const { application, sealedSecret } = await change(async (tx) => {
      const found = await applications.lock(tx, { realmId, clientId });
      if (found === undefined) throw fail("application_not_found");
      requireHeld(principal, found.scopes);
      if (!found.useClientSecret) throw fail("no_client_secret");
      const secret = newSecret(deps.masterKeys, "clientSecret", clientId);
      await applications.replaceSecret(tx, { clientId, secretHash: secret.hash, overlapHours, at });
      await audit.record(tx, {
        realmId,
        event: "client_secret_create",
        actor: actorOf(principal),
        at,
        properties: { clientID: clientId, overlapHours },
      });
      return { application: applicationView(found), sealedSecret: secret.sealed };
    });

    return { ...application, client_secret: openSecret(deps.masterKeys, "clientSecret", clientId, sealedSecret) };
  },
});
