import { violates } from "../../../db/client.ts";
import * as sessionOperations from "../../../db/operations/sessions.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as codes from "../../../db/queries/oauth/authorization-codes.ts";
import * as refreshTokens from "../../../db/queries/oauth/refresh-tokens.ts";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import { drawSecretToken, hashOfToken } from "../../../runtime/keys/secret-token.ts";
import { authenticateClient } from "../client-authentication.ts";
import { required } from "../../http/form.ts";
import { isVerified } from "../code-verifier.ts";
import { grantedScopes } from "../granted-scopes.ts";
import { OAuthError } from "../oauth-error.ts";
import { describedFor, issueUserTokens } from "../user-tokens.ts";
import type { Grant } from "./grant.ts";
import { sessionDaysMax, sessionWithoutRefreshHours } from "../../../domain/lifetimes.ts";

const hour = 3_600_000;

/**
 * Redeems an authorization code (RFC 6749 section 4.1.3), only once. If the code's own client authenticates and uses
 * the code again, the session and all its tokens end; a stranger with only the code cannot sign a user out.
 */
export const authorizationCode: Grant = async ({ deps, form, request }) => {
  const { application, secretHash } = await authenticateClient(deps, { form, request });
  if (application.type !== "useragent") throw new OAuthError("unauthorized_client");
  const { clientId } = application;
  const code = required(form, "code");
  const redirectUri = required(form, "redirect_uri");
  const verifier = form.get("code_verifier");
  const codeHash = hashOfToken(code);
  await deps.signingKeys.prepare();
  const at = deps.clock.now();

  const redeem = deps.db.transaction(async (tx) => {
    // Locks the session's row first, like every operation that ends a session.
    const [, found] = await Promise.all([sessions.lockByCode(tx, { codeHash }), codes.find(tx, { codeHash })]);
    if (found?.clientId !== clientId) return undefined;
    if (found.redirectUri !== redirectUri || !isVerified(found.codeChallenge, verifier)) return undefined;
    const { realmId, userId, sessionId } = found;
    if (found.consumedAt !== null) {
      const actor = { userId: null, clientId };
      await sessionOperations.end(tx, { id: sessionId, of: { clientId }, actor, reason: "code_replayed", at });
      deps.log.warn({ event: "code.replayed", realmId, userId, clientId, sid: sessionId }, "a code was used twice");
      return undefined;
    }
    if (found.expiresAt <= at) return undefined;

    const scopes = await grantedScopes(tx, found);
    const offline = scopes.includes("offline_access");
    const expiresAt = new Date(at.getTime() + (offline ? sessionDaysMax * 24 : sessionWithoutRefreshHours) * hour);
    const refreshToken = offline ? drawSecretToken("refreshToken") : undefined;
    // Awaited before the statements below: if issuing fails, none of them is pending in the transaction.
    const tokens = await issueUserTokens(tx, deps, { ...found, scopes, secretHash });
    await Promise.all([
      codes.consume(tx, { codeHash, at }),
      sessions.establish(tx, { id: sessionId, expiresAt }),
      refreshToken && refreshTokens.create(tx, { tokenHash: refreshToken.hash, sessionId, at, expiresAt }),
    ]);
    return {
      ...tokens,
      ...(refreshToken && { refresh_token: refreshToken.token }),
      code,
      ...describedFor(application, scopes),
    };
  });

  const answer = await redeem.catch((error: unknown) => {
    // The session ended, or the client or its secret was removed, between two statements.
    if (violates(error)) return undefined;
    throw error;
  });
  if (answer === undefined) throw new OAuthError("invalid_grant");
  await applications.markUsed(deps.db, { clientId, at });
  return answer;
};
