import * as applications from "../../../db/queries/applications.ts";
import { Scope, scopesAllowedTo } from "../../../domain/scopes.ts";
import { issueAccessToken } from "../access-token.ts";
import { authenticateClient } from "../client-authentication.ts";
import { OAuthError } from "../oauth-error.ts";
import type { Grant } from "./grant.ts";

/** A service acting on its own (RFC 6749 section 4.4). */
export const clientCredentials: Grant = async ({ deps, form, authorization }) => {
  const at = deps.clock.now();
  const { application, secretHash } = await authenticateClient(deps.db, { form, authorization, at });
  if (application.type !== "service") throw new OAuthError("unauthorized_client");

  const { clientId, realmId } = application;
  const scopes = readScope(form.get("scope"), application.scopes);
  await applications.markUsed(deps.db, { clientId, at });
  const token = { realmId, clientId, userId: null, guestAccountId: null, secretHash, scopes, subject: clientId };
  return { access_token: await issueAccessToken(deps, token), token_type: "Bearer" };
};

/** The scopes asked for; all registered ones when nothing is. Never fewer than asked for. */
function readScope(asked: string | undefined, registered: readonly Scope[]): Scope[] {
  const grantable = registered.filter((scope) => scopesAllowedTo("service").includes(scope));
  if (asked === undefined) return grantable;
  const names = [...new Set(asked.split(" ").filter((name) => name !== ""))];
  return names.map((name) => {
    const scope = grantable.find((one) => one === name);
    if (scope === undefined) throw new OAuthError("invalid_scope");
    return scope;
  });
}
