import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import type { Db } from "../../../db/client.ts";
import { actorOf, type Principal } from "../../contract/principal.ts";

/** Ends a session of a user with its code and its tokens, and writes the audit entry. False when there is none. */
export async function endSession(
  tx: Db,
  { principal, userId, id, at }: { principal: Principal; userId: string; id: string; at: Date },
): Promise<boolean> {
  const { realmId } = principal;
  const ended = await sessions.removeOfUser(tx, { realmId, userId, id });
  if (ended === undefined) return false;
  await audit.record(tx, {
    realmId,
    event: "session_end",
    actor: actorOf(principal),
    at,
    properties: { userID: userId, sid: id, clientID: ended.clientId, reason: "ended" },
  });
  return true;
}
