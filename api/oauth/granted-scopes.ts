import type { Db } from "../../db/client.ts";
import * as consents from "../../db/queries/oauth/consents.ts";
import { givableScopes, ownScopes, type Role } from "../../domain/people/roles.ts";
import type { Scope } from "../../domain/people/scopes.ts";

/** A session and the consent that it depends on. */
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
 * Returns the scopes of a session's tokens: the scopes that the user can give now and was shown at consent. Without a
 * consent only {@link ownScopes} count. A later role adds nothing before the user consents again. Our own applications
 * need no consent.
 */
export async function grantedScopes(db: Db, session: ConsentedSession): Promise<Scope[]> {
  const { userId, clientId, roles, firstParty, consented } = session;
  const givable = givableScopes(session.scopes, roles);
  if (firstParty) return givable;
  const shown = session.shown ?? (consented && (await settleShown(db, { userId, clientId, roles, scopes: consented })));
  return givable.filter((scope) => (shown ?? ownScopes).includes(scope));
}

/**
 * Completes a consent of an earlier release at its first use: records that the user was shown the scopes that they can
 * give now.
 */
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
