import { violates } from "../../../db/client.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as refreshTokens from "../../../db/queries/oauth/refresh-tokens.ts";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import { hashOfToken } from "../../../runtime/keys/secret-token.ts";
import { authenticateClient } from "../client-authentication.ts";
import { required } from "../../http/form.ts";
import { grantedScopes } from "../granted-scopes.ts";
import { OAuthError } from "../oauth-error.ts";
import { readScope } from "../scope.ts";
import { describedFor, issueUserTokens } from "../user-tokens.ts";
import type { Grant } from "./grant.ts";

/** Issues new tokens for a session (RFC 6749 section 6). The refresh token stays the same. */
export const refreshToken: Grant = async ({ deps, form, request, countIssued }) => {
  const { application, secretHash } = await authenticateClient(deps, { form, request });
  if (application.type !== "useragent") throw new OAuthError("unauthorized_client");
  const { clientId } = application;
  const at = deps.clock.now();

  const found = await refreshTokens.find(deps.db, { tokenHash: hashOfToken(required(form, "refresh_token")), at });
  if (found?.clientId !== clientId) throw new OAuthError("invalid_grant");
  const asked = readScope(form.get("scope"), found.scopes);
  if (asked === undefined) throw new OAuthError("invalid_scope");

  await countIssued({ kind: "session", id: found.sessionId });
  const scopes = await grantedScopes(deps.db, { ...found, scopes: asked });
  const issue = Promise.all([
    issueUserTokens(deps.db, deps, { ...found, scopes, secretHash }),
    sessions.markUsed(deps.db, { id: found.sessionId, at }),
    applications.markUsed(deps.db, { clientId, at }),
  ]);
  const [tokens] = await issue.catch((error: unknown) => {
    // The session ended, or the client or its secret was removed, between two statements.
    if (violates(error)) throw new OAuthError("invalid_grant", { cause: error });
    throw error;
  });
  const { realmId, userId, sessionId: sid } = found;
  deps.log.info({ event: "token.refreshed", realmId, userId, clientId, sid }, "a session was refreshed");
  return { ...tokens, ...describedFor(application, scopes) };
};
