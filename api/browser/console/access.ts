import { Unauthenticated } from "../../http/token-errors.ts";
import type { Request } from "express";
import type { Database, Db } from "../../../db/client.ts";
import * as consoleSessions from "../../../db/queries/sign-in/console-sessions.ts";
import type { ConsoleSession } from "../../../db/queries/sign-in/console-sessions.ts";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import type { Deps } from "../../contract/deps.ts";
import { OAuthError } from "../../oauth/oauth-error.ts";
import { grantTokens } from "../../oauth/token.ts";
import { accessExpiry, openTokens, sealTokens } from "./console-session.ts";

/** An access token that expires sooner than this is renewed before it is used. */
const renewedBeforeMs = 2 * 60_000;

/** Returns the access token of a console session, renewed if it is about to expire. Throws {@link Unauthenticated}. */
export type FindAccessToken = (session: ConsoleSession, request: Request) => Promise<string>;

/**
 * Renews a session's token once for all simultaneous requests. Requests in this process share the renewal; if several
 * processes try, one renews and the others read its result.
 */
export function createAccess(deps: Deps): FindAccessToken {
  const renewing = new Map<string, Promise<string>>();
  return (session, request) => {
    if (isLasting(deps, session)) return Promise.resolve(openTokens(deps, session).accessToken);
    const { id } = session;
    const known = renewing.get(id);
    if (known !== undefined) return known;
    const renewal = renew(deps, session, request).finally(() => renewing.delete(id));
    renewing.set(id, renewal);
    return renewal;
  };
}

const isLasting = ({ clock }: Pick<Deps, "clock">, { accessExpiresAt }: ConsoleSession): boolean =>
  accessExpiresAt.getTime() - clock.now().getTime() > renewedBeforeMs;

async function renew(deps: Deps, { id, sessionId, realmId }: ConsoleSession, request: Request): Promise<string> {
  try {
    return await deps.db.transaction(async (tx) => {
      const session = await consoleSessions.lock(tx, { id, sessionId, at: deps.clock.now() });
      if (session === undefined) throw new Unauthenticated({ given: false });
      const tokens = openTokens(deps, session);
      if (isLasting(deps, session)) return tokens.accessToken;
      const form = new Map([
        ["grant_type", "refresh_token"],
        ["client_id", applications.consoleClientId(realmId)],
        ["refresh_token", tokens.refreshToken],
      ]);
      const accessExpiresAt = accessExpiry(deps);
      const renewing = { deps: { ...deps, db: joining(tx) }, form, request, countIssued };
      const { access_token: accessToken } = await grantTokens(renewing);
      const sealedTokens = sealTokens(deps, id, { ...tokens, accessToken });
      await consoleSessions.renew(tx, { id, sealedTokens, accessExpiresAt });
      return accessToken;
    });
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    // A session that cannot be renewed has ended.
    await sessions.remove(deps.db, { id: sessionId, clientId: applications.consoleClientId(realmId) });
    throw new Unauthenticated({ given: false });
  }
}

/** Renewals are not counted: the console renews a token only when the token is about to expire. */
const countIssued = (): Promise<void> => Promise.resolve();

/** Returns a database whose transactions run inside the open transaction. */
const joining = (tx: Db): Database => ({
  query: (statement) => tx.query(statement),
  transaction: (run) => run(tx),
  pipelined: (statements) => Promise.all(statements.map((statement) => tx.query(statement))),
  close: () => Promise.resolve(),
});
