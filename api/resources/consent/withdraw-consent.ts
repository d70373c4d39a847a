import { z } from "zod";
import { ClientID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { withdraw } from "./withdraw.ts";

export const withdrawConsent = endpoint({
  operation: "withdrawConsent",
  summary: "Withdraw the signed-in user's consent for an application",
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
    return change(async (tx) => {
      if (!(await withdraw(tx, { principal, clientId, at: clock.now() }))) throw fail("consent_not_found");
      return done;
    });
  },
});
