import type { Db } from "../../db/client.ts";
import * as consents from "../../db/queries/oauth/consents.ts";
import { givableScopes, ownScopes, type Role } from "../../domain/roles.ts";
import type { Scope } from "../../domain/scopes.ts";

/** A session, and the consent that it hangs on. */
interface ConsentedSession {
  userId: string;
  clientId: string;
  roles: readonly Role[];
  scopes: readonly Scope[];
  firstParty: boolean;
  shown: readonly Scope[] | null;
  consented: readonly Scope[] | null;
}

/**
 * The scopes, of these, that tokens of a session have: those that the person can give now and was shown when they agreed, so
 * that a role that comes later adds nothing before the person is asked. Parts of this service show nothing.
 */
export async function grantedScopes(db: Db, session: ConsentedSession): Promise<Scope[]> {
  const { userId, clientId, roles, firstParty, consented } = session;
  const givable = givableScopes(session.scopes, roles);
  if (firstParty) return givable;
  const shown = session.shown ?? (consented && (await settleShown(db, { userId, clientId, roles, scopes: consented })));
  return givable.filter((scope) => (shown ?? ownScopes).includes(scope));
}

/** Takes what the person can give at its first use for what a consent of a release before was shown. */
export async function settleShown(
  db: Db,
  {
    userId,
    clientId,
    roles,
    scopes,
  }: { userId: string; clientId: string; roles: readonly Role[]; scopes: readonly Scope[] },
): Promise<Scope[]> {
  const shown = givableScopes(scopes, roles);
  await consents.settle(db, { userId, clientId, shown });
  return shown;
}
