import * as accessTokens from "../../db/queries/oauth/access-tokens.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as refreshTokens from "../../db/queries/oauth/refresh-tokens.ts";
import * as sessions from "../../db/queries/sign-in/sessions.ts";
import { hashOfToken } from "../../runtime/secret-token.ts";
import { authenticateClient } from "./client-authentication.ts";
import { readForm, required } from "../http/form.ts";
import type { OAuthCall } from "./oauth-route.ts";

/**
 * `POST /oauth/revoke` (RFC 7009). A client's own refresh token ends the session with everything in it, an access token
 * ends alone. Whatever else is sent is already what the client wants it to be.
 */
export async function revoke({ deps, request, response }: OAuthCall): Promise<void> {
  const form = await readForm(request);
  const { application } = await authenticateClient(deps, { form, request });
  const { clientId, realmId } = application;
  const tokenHash = hashOfToken(required(form, "token"));
  const at = deps.clock.now();

  const refreshed = await refreshTokens.find(deps.db, { tokenHash, at });
  if (refreshed?.clientId === clientId) {
    const { userId, sessionId: id } = refreshed;
    await deps.db.transaction(async (tx) => {
      if ((await sessions.remove(tx, { id, clientId })) === undefined) return;
      await auditEntries.record(tx, {
        realmId,
        event: "session_end",
        actor: { userId, clientId },
        at,
        properties: { userID: userId, sid: id, reason: "token_revoked" },
      });
    });
  } else {
    await accessTokens.removeOfClient(deps.db, { tokenHash, clientId });
  }
  response.statusCode = 200;
  // Nothing of this type, because clients exist that take every answer for JSON.
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", 0);
  response.end();
}
