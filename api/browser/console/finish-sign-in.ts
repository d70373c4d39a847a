import type { Deps } from "../../contract/deps.ts";
import { OAuthError } from "../../oauth/oauth-error.ts";
import { grantTokens } from "../../oauth/token.ts";
import { single, type PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { contextOf } from "../../http/request-context.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { redirect } from "../../pages/redirect.ts";
import { consoleRedirectUri } from "./console-client.ts";
import { openConsole, type ConsoleTokens } from "./console-session.ts";
import { endAttempt, readAttempt, type Attempt } from "./sign-in-attempt.ts";
import { consoleSignIn } from "./start-sign-in.ts";

/**
 * `GET /console/callback`: opens the console if the response belongs to this browser's own authorization request. Any
 * other response changes nothing.
 */
export async function finishSignIn(page: PageRequest): Promise<void> {
  const { deps, response } = page;
  const attempt = readAttempt(page);
  const startAgain = pathOn(deps, consoleSignIn(attempt?.path ?? "/console"));
  if (
    attempt === undefined ||
    single(page, "state") !== attempt.state ||
    single(page, "iss") !== deps.settings.authUrl
  ) {
    sendProblem(page, "upstream_attempt_ended", { startAgain });
    return;
  }
  endAttempt(page);
  const granted = await redeemCode(page, attempt);
  if (granted === undefined || !(await openConsole(deps, page, granted))) {
    contextOf(response).log().info({ event: "console.not_opened" }, "the console was not opened");
    sendProblem(page, "upstream_attempt_ended", { startAgain });
    return;
  }
  redirect(page, pathOn(deps, attempt.path));
}

/** Exchanges the code for tokens like any other client. Returns undefined if the exchange fails. */
async function redeemCode(
  page: PageRequest,
  attempt: Attempt,
): Promise<{ sessionId: string; tokens: ConsoleTokens } | undefined> {
  const { deps, request } = page;
  const code = single(page, "code");
  if (code === undefined) return undefined;
  // Ignores the browser's credentials: the console is the client here, and has no secret.
  delete request.headers.authorization;
  const form = new Map([
    ["grant_type", "authorization_code"],
    ["client_id", attempt.clientId],
    ["redirect_uri", consoleRedirectUri(deps)],
    ["code", code],
    ["code_verifier", attempt.codeVerifier],
  ]);
  const answer = await grantTokens({ deps, form, request, countIssued }).catch((error: unknown) => {
    if (error instanceof OAuthError) return undefined;
    throw error;
  });
  const sessionId = answer && (await sessionOf(deps, answer.id_token ?? "", attempt));
  if (sessionId === undefined || answer?.refresh_token === undefined) return undefined;
  return { sessionId, tokens: { accessToken: answer.access_token, refreshToken: answer.refresh_token } };
}

/** Access tokens are not counted here: a code yields only one. */
const countIssued = (): Promise<void> => Promise.resolve();

/** Returns the session id from the id token; undefined if the token was not issued for this attempt. */
async function sessionOf(
  { signingKeys }: Pick<Deps, "signingKeys">,
  idToken: string,
  { clientId, nonce }: Attempt,
): Promise<string | undefined> {
  const claims = await signingKeys.verify(idToken, { algorithm: "RS256", type: "JWT" });
  if (claims?.aud !== clientId || claims["nonce"] !== nonce) return undefined;
  return typeof claims["sid"] === "string" ? claims["sid"] : undefined;
}
