import type { Db } from "../../../db/client.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as consents from "../../../db/queries/oauth/consents.ts";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import { actorOf, type UserPrincipal } from "../../contract/principal.ts";

/**
 * Withdraws the principal's consent for an application and ends their sessions with it. Returns false if there was no
 * consent. Call in a transaction.
 */
export async function withdraw(
  tx: Db,
  { principal, clientId, at }: { principal: UserPrincipal; clientId: string; at: Date },
): Promise<boolean> {
  const { realmId, userId } = principal;
  if (!(await consents.remove(tx, { userId, clientId }))) return false;
  const ended = await sessions.removeOfClient(tx, { userId, clientId });
  await audit.record(tx, {
    realmId,
    event: "consent_withdraw",
    actor: actorOf(principal),
    at,
    properties: { userID: userId, clientID: clientId, sessions: ended },
  });
  return true;
}
