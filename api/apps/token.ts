import * as audit from "../../db/queries/audit/audit-entries.ts";
import * as authorizations from "../../db/queries/issuance/app-authorizations.ts";
import { appTokenMinutes } from "../../domain/lifetimes.ts";
import { findOnboardingApp } from "../../domain/onboarding-apps.ts";
import { drawSecretToken, hashOfToken } from "../../runtime/keys/secret-token.ts";
import type { Deps } from "../contract/deps.ts";
import { readForm, required } from "../http/form.ts";
import { contextOf } from "../http/request-context.ts";
import { sendJson } from "../http/respond.ts";
import type { Exchange } from "../http/route.ts";
import { isVerified } from "../oauth/code-verifier.ts";
import { OAuthError } from "../oauth/oauth-error.ts";
import { realmOf } from "./app-realm.ts";

/**
 * `POST …/oauth/token/` (RFC 6749 section 4.1.3): exchanges an app's code, only once, for a token that permits fetching
 * one file. An app that uses its code again loses the authorization; a stranger with only the code changes nothing.
 */
export async function redeemCode(deps: Deps, { request, response }: Exchange): Promise<void> {
  response.setHeader("Pragma", "no-cache");
  const form = await readForm(request);
  const grantType = required(form, "grant_type");
  const clientId = required(form, "client_id");
  if (findOnboardingApp(clientId) === undefined) throw new OAuthError("invalid_client");
  if (grantType !== "authorization_code") throw new OAuthError("unsupported_grant_type");
  const codeHash = hashOfToken(required(form, "code"));
  const redirectUri = required(form, "redirect_uri");
  const verifier = required(form, "code_verifier");
  const { id: realmId } = realmOf({ response });
  const at = deps.clock.now();

  const token = await deps.db.transaction(async (tx) => {
    const found = await authorizations.lockByCode(tx, { codeHash });
    if (found?.realmId !== realmId || found.app !== clientId) return undefined;
    if (found.redirectUri !== redirectUri || !isVerified(found.codeChallenge, verifier)) return undefined;
    const { id, userId } = found;
    if (found.codeUsedAt !== null) {
      await authorizations.remove(tx, { id });
      await audit.record(tx, {
        realmId,
        event: "session_end",
        actor: { userId: null, clientId },
        at,
        properties: { userID: userId, authorization: id, reason: "code_replayed" },
      });
      const about = { realmId, userId, clientId, authorization: id };
      contextOf(response)
        .log()
        .warn({ event: "code.replayed", ...about }, "a code was used twice");
      return undefined;
    }
    if (found.codeExpiresAt <= at) return undefined;
    const drawn = drawSecretToken("appToken");
    await authorizations.useCode(tx, { id, tokenHash: drawn.hash, at });
    contextOf(response).who = { realmId, userId, clientId };
    return drawn.token;
  });
  if (token === undefined) throw new OAuthError("invalid_grant");
  sendJson(response, 200, { access_token: token, token_type: "Bearer", expires_in: appTokenMinutes * 60 });
}
