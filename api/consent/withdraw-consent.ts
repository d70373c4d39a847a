import { z } from "zod";
import * as audit from "../../db/queries/audit-entries.ts";
import * as consents from "../../db/queries/consents.ts";
import * as sessions from "../../db/queries/sessions.ts";
import { ClientID } from "../../domain/ids.ts";
import { Done, done, endpoint } from "../endpoint.ts";
import { actorOf } from "../principal.ts";

export const withdrawConsent = endpoint({
  operation: "withdrawConsent",
  summary: "Take back what the signed-in user allowed an application",
  description: "The user's sessions with the application end, with their tokens.",
  method: "delete",
  path: "/api/consents/:client_id",
  access: "user",
  params: z.object({ client_id: ClientID }),
  data: Done,
  errors: ["consent_not_found"],
  unknown: { client_id: "consent_not_found" },
  changes: true,

  handle({ params: { client_id: clientId }, principal, deps: { clock }, change, fail }) {
    const { realmId, userId } = principal;
    return change(async (tx) => {
      if (!(await consents.remove(tx, { userId, clientId }))) throw fail("consent_not_found");
      const ended = await sessions.removeOfClient(tx, { userId, clientId });
      await audit.record(tx, {
        realmId,
        event: "consent_withdraw",
        actor: actorOf(principal),
        at: clock.now(),
        properties: { userID: userId, clientID: clientId, sessions: ended },
      });
      return done;
    });
  },
});
