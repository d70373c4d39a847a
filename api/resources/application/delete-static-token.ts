import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as staticTokens from "../../../db/queries/oauth/static-tokens.ts";
import { ClientID, StaticTokenID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";

export const deleteStaticToken = endpoint({
  operation: "deleteStaticToken",
  summary: "End a static token at once",
  method: "delete",
  path: "/api/applications/:client_id/tokens/:tokenID",
  access: "staff",
  scope: "application.modify",
  params: z.object({ client_id: ClientID, tokenID: StaticTokenID }),
  data: Done,
  errors: ["application_not_found", "token_not_found"],
  unknown: { client_id: "application_not_found", tokenID: "token_not_found" },
  changes: true,

  handle({ params: { client_id: clientId, tokenID: id }, principal, deps: { clock }, change, fail }) {
    const { realmId } = principal;
    return change(async (tx) => {
      if ((await applications.lock(tx, { realmId, clientId })) === undefined) throw fail("application_not_found");
      if (!(await staticTokens.remove(tx, { realmId, clientId, id }))) throw fail("token_not_found");
      await audit.record(tx, {
        realmId,
        event: "static_token_delete",
        actor: actorOf(principal),
        at: clock.now(),
        properties: { clientID: clientId, tokenID: id },
      });
      return done;
    });
  },
});
