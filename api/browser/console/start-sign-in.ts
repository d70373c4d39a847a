import { createHash } from "node:crypto";
import { single, type PageRequest } from "../../pages/page-request.ts";
import { findLogin } from "../../session/browser-login.ts";
import { consolePage, pathOn, signInPath } from "../../pages/continue-to.ts";
import { redirect } from "../../pages/redirect.ts";
import { consoleRedirectUri, registerConsole } from "./console-client.ts";
import { beginAttempt } from "./sign-in-attempt.ts";

export const consoleSignInPath = "/console/sign-in";

/** The longest path to continue at: longer than any page's address, and short enough for the cookie. */
const pathLengthMax = 1_000;

/** Returns the console page to continue at. */
const wantedPage = (page: PageRequest): string => {
  const path = consolePage(single(page, "continue"));
  return path === undefined || path.length > pathLengthMax ? "/console" : path;
};

/** Returns the path that begins a console sign-in and continues at `path`, a page of the console. */
export const consoleSignIn = (path: string): string => `${consoleSignInPath}?continue=${encodeURIComponent(path)}`;

/**
 * `GET /console/sign-in`: starts the console's authorization request (RFC 6749 section 4.1.1). A user who is not signed
 * in signs in first.
 */
export async function startSignIn(page: PageRequest): Promise<void> {
  const { deps } = page;
  const path = wantedPage(page);
  const login = await findLogin(deps, page.request);
  if (login === undefined) {
    redirect(page, signInPath(deps, consoleSignIn(path), { again: false }));
    return;
  }
  const clientId = await registerConsole(deps, login.realmId);
  const { state, nonce, codeVerifier } = beginAttempt(page, { clientId, path });
  const parameters = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: consoleRedirectUri(deps),
    state,
    nonce,
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  redirect(page, pathOn(deps, `/oauth/authorize?${parameters.toString()}`));
}
