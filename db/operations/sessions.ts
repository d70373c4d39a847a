import type { Actor } from "../../domain/audit/audit.ts";
import type { Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as sessions from "../queries/sign-in/sessions.ts";

/** The reason why a session ended, as its audit entry states it. */
type SessionEnd = "code_replayed" | "token_revoked" | "logout" | "ended";

/** The owner of the sessions to end: a client, or a user. */
type SessionOf = { clientId: string } | { realmId: string; userId: string };

/**
 * Ends one session with its code and tokens, with the audit entry. Returns undefined, with nothing written, if there is
 * no such session. Call in a transaction.
 */
export async function end(
  tx: Db,
  { id, of, actor, reason, at }: { id: string; of: SessionOf; actor: Actor; reason: SessionEnd; at: Date },
): Promise<sessions.EndedSession | undefined> {
  const ended =
    "clientId" in of ? await sessions.remove(tx, { id, ...of }) : await sessions.removeOfUser(tx, { id, ...of });
  if (ended === undefined) return undefined;
  const { realmId, userId, clientId } = ended;
  // If the client ended the session, the entry's actor names the client.
  const client = "clientId" in of ? {} : { clientID: clientId };
  await audit.record(tx, {
    realmId,
    event: "session_end",
    actor,
    at,
    properties: { userID: userId, sid: id, ...client, reason },
  });
  return ended;
}

/** Ends a client's sessions that began with a browser login, with their audit entries. Call in a transaction. */
export async function endOfLogin(
  tx: Db,
  { loginId, userId, clientId, at }: { loginId: string; userId: string; clientId: string; at: Date },
): Promise<void> {
  for (const id of await sessions.listOfLogin(tx, { loginId, clientId })) {
    await end(tx, { id, of: { clientId }, actor: { userId, clientId }, reason: "logout", at });
  }
}
