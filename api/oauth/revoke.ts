import * as sessionOperations from "../../db/operations/sessions.ts";
import * as accessTokens from "../../db/queries/oauth/access-tokens.ts";
import * as refreshTokens from "../../db/queries/oauth/refresh-tokens.ts";
import { hashOfToken } from "../../runtime/keys/secret-token.ts";
import { authenticateClient } from "./client-authentication.ts";
import { readForm, required } from "../http/form.ts";
import { sendJson } from "../http/respond.ts";
import type { OAuthCall } from "./oauth-route.ts";

/**
 * `POST /oauth/revoke` (RFC 7009). A client's own refresh token ends the session with everything in it; its own access
 * token ends alone. Any other token changes nothing and gets the same response.
 */
export async function revoke({ deps, request, response }: OAuthCall): Promise<void> {
  const form = await readForm(request);
  const { application } = await authenticateClient(deps, { form, request });
  const { clientId } = application;
  const tokenHash = hashOfToken(required(form, "token"));
  const at = deps.clock.now();

  const refreshed = await refreshTokens.find(deps.db, { tokenHash, at });
  if (refreshed?.clientId === clientId) {
    const { userId, sessionId: id } = refreshed;
    const actor = { userId, clientId };
    await deps.db.transaction((tx) =>
      sessionOperations.end(tx, { id, of: { clientId }, actor, reason: "token_revoked", at }),
    );
  } else {
    await accessTokens.removeOfClient(deps.db, { tokenHash, clientId });
  }
  // RFC 7009 leaves the body open. Some clients parse every response as JSON, and an empty body is not JSON.
  sendJson(response, 200, {});
}
