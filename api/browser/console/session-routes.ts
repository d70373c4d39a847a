import { Unauthenticated } from "../../http/token-errors.ts";
import * as sessionOperations from "../../../db/operations/sessions.ts";
import * as consoleSessions from "../../../db/queries/sign-in/console-sessions.ts";
import type { ConsoleSession } from "../../../db/queries/sign-in/console-sessions.ts";
import * as logins from "../../../db/queries/sign-in/logins.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import { isBoundAsGuestManager } from "../../../domain/people/guest-account.ts";
import { scopesOfRoles, type Role } from "../../../domain/people/roles.ts";
import { withImplied, type Scope } from "../../../domain/people/scopes.ts";
import type { Deps } from "../../contract/deps.ts";
import { problemErrors } from "../../http/error-response.ts";
import { sendJson } from "../../http/respond.ts";
import type { Exchange, Route } from "../../http/route.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { endLogin, findLogin } from "../../session/browser-login.ts";
import { personName } from "../../session/person-name.ts";
import { isLastWayIn, leavingPath, signedOutPath } from "../sign-in/sign-out.ts";
import { findConsole, forgetConsole } from "./console-session.ts";
import { requireSameOrigin } from "./same-origin.ts";

interface Call extends Pick<Exchange, "request" | "response"> {
  deps: Deps;
}

/** Returns the routes that show who is signed in to the console and until when, extend the session, and sign out. */
export function sessionRoutes(deps: Deps): Route[] {
  const route = (path: string, method: "GET" | "POST", handle: (call: Call) => Promise<void>): Route => ({
    path,
    name: path,
    methods: method === "GET" ? ["GET", "HEAD"] : [method],
    limit: "address",
    errors: problemErrors,
    handle({ request, response }) {
      requireSameOrigin(deps, request);
      return handle({ deps, request, response });
    },
  });
  return [
    route("/console/session", "GET", showSession),
    route("/console/session/extend", "POST", extendSession),
    route("/console/sign-out", "POST", signOut),
  ];
}

async function showSession({ deps, request, response }: Call): Promise<void> {
  await answer({ deps, response }, await findConsole(deps, request));
}

async function extendSession({ deps, request, response }: Call): Promise<void> {
  const found = await findConsole(deps, request);
  const at = deps.clock.now();
  await answer({ deps, response }, found && (await consoleSessions.extend(deps.db, { id: found.id, at })));
}

async function answer(
  { deps, response }: Pick<Call, "deps" | "response">,
  session: ConsoleSession | undefined,
): Promise<void> {
  const person = session && (await consoleSessions.findPerson(deps.db, session));
  if (session === undefined || person === undefined) throw new Unauthenticated({ given: false });
  const { userId, email, roles, scopes, realmName, realmDisplayName, realmLogoUri, realmTimeZone } = person;
  const { guestDaysMax, guestLimitMax } = person;
  sendJson(response, 200, {
    signedIn: true,
    user: { userID: userId, name: personName(person), email },
    realm: { name: realmName, displayName: realmDisplayName, logoURI: realmLogoUri, timeZone: realmTimeZone },
    roles,
    scopes: staffScopes(roles, scopes),
    guestBounds: isBoundAsGuestManager(roles) ? { guestDaysMax, guestLimitMax } : null,
    expiresAt: session.expiresAt.toISOString(),
    canExtend: session.expiresAt < session.absoluteExpiresAt,
  });
}

/** Returns the scopes that the user's current roles have, limited to the session's scopes. */
const staffScopes = (roles: readonly Role[], asked: readonly Scope[]): Scope[] => {
  const allowed = scopesOfRoles(roles);
  return [...withImplied(asked)].filter((scope) => allowed.has(scope));
};

/**
 * Signs out of the console and of the browser; also succeeds after the session has ended. A user who could not sign in
 * again is asked first, on a page.
 */
async function signOut({ deps, request, response }: Call): Promise<void> {
  const login = await findLogin(deps, request);
  if (login !== undefined && (await isLastWayIn(deps, login))) {
    sendJson(response, 200, { location: pathOn(deps, leavingPath) });
    return;
  }
  const session = await findConsole(deps, request);
  const realm = session && (await realms.findById(deps.db, session.realmId));
  if (session !== undefined) await endSession(deps, session);
  await endLogin(deps, { request, response });
  forgetConsole(deps, response);
  sendJson(response, 200, { location: signedOutPath(deps, realm) });
}

async function endSession(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { realmId, userId, sessionId, loginId }: ConsoleSession,
): Promise<void> {
  const clientId = applications.consoleClientId(realmId);
  await db.transaction(async (tx) => {
    const actor = { userId, clientId };
    await sessionOperations.end(tx, { id: sessionId, of: { clientId }, actor, reason: "logout", at: clock.now() });
    await logins.remove(tx, { id: loginId });
  });
}
