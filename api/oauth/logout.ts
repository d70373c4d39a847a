import * as sessionOperations from "../../db/operations/sessions.ts";
import * as applications from "../../db/queries/oauth/applications.ts";
import * as logins from "../../db/queries/sign-in/logins.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import { formTokenFor, verifyFormToken } from "../pages/form-token.ts";
import { pathOn } from "../pages/continue-to.ts";
import { redirect } from "../pages/redirect.ts";
import { sendSignOutQuestion } from "../pages/sign-out-question.tsx";
import { single, type PageRequest } from "../pages/page-request.ts";
import { sendProblem } from "../pages/problem.tsx";
import { sendSignedOut } from "../pages/signed-out.tsx";
import { endLogin, findLogin } from "../session/browser-login.ts";
import { removeCookie } from "../pages/cookies.ts";

/**
 * `GET /oauth/logout`: ends the id token's session and the browser login that it began with. Sessions of other
 * applications stay, except the console's in this browser. A repeated request redirects to the same place. Also accepts
 * the parameter names of OpenID Connect RP-Initiated Logout 1.0. Without a matching id token it asks the user (section
 * 2).
 */
export async function logout(page: PageRequest): Promise<void> {
  if ([...page.query.values()].some((values) => values.length > 1)) {
    sendProblem(page, "logout_refused");
    return;
  }
  const asked = await readIdToken(page);
  if (asked === undefined) {
    await askPerson(page);
    return;
  }
  const uri = logoutUriOf(page);
  const to = uri === undefined ? undefined : readLogoutUri(uri, asked.application, single(page, "state"));
  if (uri !== undefined && to === undefined) {
    sendProblem(page, "logout_refused");
    return;
  }
  await endSession(page, asked);
  if (to !== undefined) {
    redirect(page, to.href);
    return;
  }
  const { application } = asked;
  const realm = await realms.findById(page.deps.db, application.realmId);
  sendSignedOut(page, { realm, application });
}

/**
 * Handles the form of the sign-out question: ends the browser login, the application's sessions that began with it, and
 * the console's. Returns to the application only at an address on the application's host.
 */
export async function logoutAgreed(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: pathOn(deps, "/login") });
    return;
  }
  const clientId = form.get("client_id") ?? "";
  const application = await applications.find(deps.db, { clientId });
  const login = await findLogin(deps, request);
  if (login !== undefined) {
    const { id: loginId, userId } = login;
    const at = deps.clock.now();
    await deps.db.transaction((tx) => sessionOperations.endOfLogin(tx, { loginId, userId, clientId, at }));
  }
  await endLogin(deps, page);
  const to = application && readLogoutUri(form.get("logout_uri") ?? "", application, form.get("state"));
  if (to !== undefined) {
    redirect(page, to.href);
    return;
  }
  const realm = login && (await realms.findById(deps.db, login.realmId));
  sendSignedOut(page, { realm, application });
}

async function askPerson(page: PageRequest): Promise<void> {
  const { deps, request } = page;
  const login = await findLogin(deps, request);
  const clientId = single(page, "client_id");
  const application = clientId === undefined ? undefined : await applications.find(deps.db, { clientId });
  const kept = { client_id: application?.clientId, logout_uri: logoutUriOf(page), state: single(page, "state") };
  sendSignOutQuestion(page, {
    realm: login && (await realms.findById(deps.db, login.realmId)),
    application,
    action: pathOn(deps, "/oauth/logout/agreed"),
    hidden: {
      ...Object.fromEntries(
        Object.entries(kept).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      form_token: formTokenFor(deps, page),
    },
    stay: pathOn(deps, "/login"),
  });
}

const logoutUriOf = (page: PageRequest): string | undefined =>
  single(page, "logout_uri") ?? single(page, "post_logout_redirect_uri");

/** The session of an id token. */
interface AskedSession {
  application: applications.Application;
  userId: string;
  sessionId: string;
}

/** Returns the session of the id token, expired or not, if this service issued the token to the named client. */
async function readIdToken(page: PageRequest): Promise<AskedSession | undefined> {
  const { signingKeys, settings, db } = page.deps;
  const token = single(page, "id_token") ?? single(page, "id_token_hint");
  const claims = token === undefined ? undefined : await signingKeys.verify(token, { algorithm: "RS256", type: "JWT" });
  if (claims?.iss !== settings.authUrl) return undefined;
  const { aud, sub, sid } = claims;
  if (typeof aud !== "string" || typeof sub !== "string" || typeof sid !== "string") return undefined;
  if ((single(page, "client_id") ?? aud) !== aud) return undefined;
  const application = await applications.find(db, { clientId: aud });
  return application && { application, userId: sub, sessionId: sid };
}

/** Returns the address with the state added, if it is on the host that the application is registered with. */
function readLogoutUri(
  uri: string,
  { clientUri }: applications.Application,
  state: string | undefined,
): URL | undefined {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return undefined;
  const [url, home] = [new URL(uri), new URL(clientUri)];
  const onSameHost =
    url.protocol === home.protocol && url.host === home.host && url.username === "" && url.password === "";
  if (!onSameHost) return undefined;
  if (state !== undefined) url.searchParams.append("state", state);
  return url;
}

async function endSession(page: PageRequest, { application, userId, sessionId }: AskedSession): Promise<void> {
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
