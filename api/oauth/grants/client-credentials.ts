import { violates } from "../../../db/client.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import { scopesFault } from "../../../domain/people/scopes.ts";
import { issueAccessToken } from "../access-token.ts";
import { authenticateClient } from "../client-authentication.ts";
import { OAuthError } from "../oauth-error.ts";
import { readScope } from "../scope.ts";
import { describedFor } from "../user-tokens.ts";
import type { Grant } from "./grant.ts";

/** Issues a token to a service acting for itself (RFC 6749 section 4.4). */
export const clientCredentials: Grant = async ({ deps, form, request, countIssued }) => {
  const { application, secretHash } = await authenticateClient(deps, { form, request });
  if (application.type !== "service") throw new OAuthError("unauthorized_client");

  const { clientId, realmId } = application;
  const scopes = readScope(
    form.get("scope"),
    application.scopes.filter((scope) => scopesFault("service", [scope]) === undefined),
  );
  // Machine scopes are granted only by name: an application without any other scope must name one.
  if (scopes === undefined || scopes.length === 0) throw new OAuthError("invalid_scope");
  await countIssued({ kind: "service", id: clientId });
  const issue = Promise.all([
    issueAccessToken(deps.db, deps, {
      realmId,
      clientId,
      userId: null,
      guestAccountId: null,
      secretHash,
      sessionId: null,
      certificateId: null,
      scopes,
      subject: clientId,
    }),
    applications.markUsed(deps.db, { clientId, at: deps.clock.now() }),
  ]);
  const [accessToken] = await issue.catch((error: unknown) => {
    // The secret or the application was removed between two statements.
    if (violates(error)) throw new OAuthError("invalid_client", { cause: error });
    throw error;
  });
  return { access_token: accessToken, token_type: "Bearer", ...describedFor(application, scopes) };
};
