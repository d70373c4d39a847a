import * as sessionOperations from "../../db/operations/sessions.ts";
import * as applications from "../../db/queries/oauth/applications.ts";
import * as logins from "../../db/queries/sign-in/logins.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import type { Deps } from "../contract/deps.ts";
import { single, type PageRequest } from "../pages/page-request.ts";
import { sendProblem } from "../pages/problem.tsx";
import { sendSignedOut } from "../pages/signed-out.tsx";
import { findLogin } from "../session/browser-login.ts";
import { removeCookie } from "../pages/cookies.ts";

/**
 * `GET /oauth/logout`: ends the id token's session and the browser login that it began with. Sessions of other
 * applications stay. Repeating it leads to the same place. Accepts the parameter names of OpenID Connect RP-Initiated
 * Logout 1.0 as well.
 */
export async function logout(page: PageRequest): Promise<void> {
  const { response } = page;
  const target = await readTarget(page);
  if (target === undefined) {
    sendProblem(page, "logout_refused");
    return;
  }
  await endSession(page, target);
  if (target.to === undefined) {
    const { application } = target;
    const realm = await realms.findById(page.deps.db, application.realmId);
    sendSignedOut(page, { realm, application });
    return;
  }
  response.statusCode = 303;
  response.setHeader("Location", target.to.href);
  response.end();
}

interface Target {
  application: applications.Application;
  userId: string;
  sessionId: string;
  /** Where to redirect afterwards; undefined if the request names no address. */
  to: URL | undefined;
}

/** Returns the target only if the whole request is valid: otherwise no session ends and no browser is redirected. */
async function readTarget(page: PageRequest): Promise<Target | undefined> {
  const { deps, query } = page;
  if ([...query.values()].some((values) => values.length > 1)) return undefined;
  const idToken = single(page, "id_token") ?? single(page, "id_token_hint");
  const claims = idToken === undefined ? undefined : await readIdToken(deps, idToken);
  if (claims === undefined) return undefined;
  if ((single(page, "client_id") ?? claims.clientId) !== claims.clientId) return undefined;
  const application = await applications.find(deps.db, { clientId: claims.clientId });
  if (application === undefined) return undefined;

  const uri = single(page, "logout_uri") ?? single(page, "post_logout_redirect_uri");
  const to = uri === undefined ? undefined : readLogoutUri(uri, application);
  if (uri !== undefined && to === undefined) return undefined;
  const state = single(page, "state");
  if (to !== undefined && state !== undefined) to.searchParams.append("state", state);
  return { application, userId: claims.userId, sessionId: claims.sessionId, to };
}

/** Returns the claims of an id token of this service, expired or not. */
async function readIdToken(
  { signingKeys, settings }: Deps,
  token: string,
): Promise<{ clientId: string; userId: string; sessionId: string } | undefined> {
  const claims = await signingKeys.verify(token, { algorithm: "RS256", type: "JWT" });
  if (claims?.iss !== settings.authUrl) return undefined;
  const { aud, sub, sid } = claims;
  if (typeof aud !== "string" || typeof sub !== "string" || typeof sid !== "string") return undefined;
  return { clientId: aud, userId: sub, sessionId: sid };
}

/** Accepts only an address on the host that the application is registered with. */
function readLogoutUri(uri: string, { clientUri }: applications.Application): URL | undefined {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return undefined;
  const [url, home] = [new URL(uri), new URL(clientUri)];
  const onSameHost =
    url.protocol === home.protocol && url.host === home.host && url.username === "" && url.password === "";
  return onSameHost ? url : undefined;
}

async function endSession(page: PageRequest, { application, userId, sessionId }: Target): Promise<void> {
  const { deps, request, response } = page;
  const { clientId } = application;
  const loginId = await deps.db.transaction(async (tx) => {
    const actor = { userId, clientId };
    const at = deps.clock.now();
    const ended = await sessionOperations.end(tx, { id: sessionId, of: { clientId }, actor, reason: "logout", at });
    if (ended === undefined) return undefined;
    if (ended.loginId !== null) await logins.remove(tx, { id: ended.loginId });
    return ended.loginId;
  });
  if (loginId !== undefined && (await findLogin(deps, request)) === undefined) removeCookie(deps, response, "login");
}
