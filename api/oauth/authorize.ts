import { createHash } from "node:crypto";
import * as consents from "../../db/queries/oauth/consents.ts";
import type { Login } from "../../db/queries/sign-in/logins.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import { givableScopes } from "../../domain/people/roles.ts";
import type { Scope } from "../../domain/people/scopes.ts";
import { sendConsent } from "../pages/consent.tsx";
import { rememberRealm } from "../pages/page-realm.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { sendProblem } from "../pages/problem.tsx";
import { sendAccessEnded } from "../session/access-ended.ts";
import { findLogin } from "../session/browser-login.ts";
import { pathOn, signInPath } from "../pages/continue-to.ts";
import { formTokenFor } from "../pages/form-token.ts";
import { personName } from "../session/person-name.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { readClient, readRequest, type AuthorizationRequest } from "./authorization-request.ts";
import { sendAuthorizationError, sendCode } from "./authorization-response.ts";
import { settleShown } from "./granted-scopes.ts";
import { issueCode } from "./issue-code.ts";

/**
 * `GET /oauth/authorize` (RFC 6749 section 4.1.1, OpenID Connect Core 3.1.2). A user who is not signed in signs in and
 * returns with the same request.
 */
export async function authorize(page: PageRequest): Promise<void> {
  await withRequest(page, page.query, async (request) => {
    const login = await signedIn(page, request);
    if (login === undefined) return;
    const asked = await scopesToAllow(page, request, login);
    if (asked === undefined) return answerWithCode(page, request, login);
    if (request.prompt.has("none")) throw new AuthorizationError("consent_required");
    if (asked.length === 0) throw new AuthorizationError("access_denied", "This person can give none of these scopes.");
    await askForConsent(page, request, { login, asked });
  });
}

/** Handles the consent page's form, which contains `decision` and the authorization request. */
export async function decide(page: PageRequest, query: PageRequest["query"]): Promise<void> {
  await withRequest(page, query, async (request) => {
    const login = await findLogin(page.deps, page.request);
    // The user has signed out or signed in again, or another user has signed in: start over.
    if (login === undefined || login.id !== page.form.get("login") || login.realmId !== request.application.realmId) {
      redirect(page, pathOn(page.deps, authorizePath(query)));
      return;
    }
    const decision = page.form.get("decision");
    if (decision === "deny") throw new AuthorizationError("access_denied");
    if (decision !== "allow") {
      sendProblem(page, "bad_request");
      return;
    }
    // Consent applies to the page that the user saw: a role or the registration may have changed since.
    const shown = givableScopes(request.scopes, login.roles);
    if (page.form.get("shown") !== fingerprintOf(request.application, shown)) {
      redirect(page, pathOn(page.deps, authorizePath(query)));
      return;
    }
    await answerWithCode(page, request, login, shown);
  });
}

/**
 * Validates the request and passes it to `handle`. Errors are shown to the user until the client and its redirect URI
 * are verified; later ones are sent to the client.
 */
async function withRequest(
  page: PageRequest,
  query: PageRequest["query"],
  handle: (request: AuthorizationRequest) => Promise<void>,
): Promise<void> {
  const client = await readClient(page.deps.db, query);
  if (typeof client === "string") {
    sendProblem(page, client);
    return;
  }
  try {
    await handle(readRequest(client, query));
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error;
    sendAuthorizationError(page.deps, page.response, client, error);
  }
}

/**
 * Returns the browser's login if it is of the client's realm and the request demands no new sign-in. Otherwise
 * redirects to the sign-in and returns undefined, or throws `login_required` for the prompt `none`.
 */
async function signedIn(page: PageRequest, request: AuthorizationRequest): Promise<Login | undefined> {
  const { deps } = page;
  const { application, prompt, maxAgeSeconds } = request;
  const found = await findLogin(deps, page.request);
  const login = found?.realmId === application.realmId ? found : undefined;
  const ageMs = login === undefined ? 0 : deps.clock.now().getTime() - login.signedInAt.getTime();
  const again =
    prompt.has("login") ||
    prompt.has("select_account") ||
    (login !== undefined && maxAgeSeconds !== undefined && ageMs > maxAgeSeconds * 1_000);
  if (login !== undefined && !again) return login;

  if (prompt.has("none")) throw new AuthorizationError("login_required");
  redirect(page, signInPath(deps, authorizePath(withoutReauthentication(page.query)), { again }));
  return undefined;
}

/**
 * Returns the requested scopes that the user can give, if the user must consent; undefined if no consent is needed.
 * `isNew` marks scopes beyond an earlier consent. Our own applications need no consent.
 */
async function scopesToAllow(
  { deps }: PageRequest,
  { application, scopes, prompt }: AuthorizationRequest,
  { userId, roles }: Login,
): Promise<{ scope: Scope; isNew: boolean }[] | undefined> {
  if (application.firstParty) return undefined;
  const { clientId } = application;
  const known = await consents.find(deps.db, { userId, clientId });
  const allowed = new Set<Scope>(
    known && (known.shown ?? (await settleShown(deps.db, { userId, clientId, roles, scopes: known.scopes }))),
  );
  const givable = givableScopes(scopes, roles);
  const isAllowed = known !== undefined && givable.length > 0 && givable.every((scope) => allowed.has(scope));
  if (!prompt.has("consent") && isAllowed) return undefined;
  return givable.map((scope) => ({ scope, isNew: known !== undefined && !allowed.has(scope) }));
}

async function askForConsent(
  page: PageRequest,
  { application, registeredUri }: AuthorizationRequest,
  { login, asked }: { login: Login; asked: { scope: Scope; isNew: boolean }[] },
): Promise<void> {
  const { deps, query } = page;
  const realm = await realms.findById(deps.db, application.realmId);
  if (realm === undefined) throw new Error("an application without a realm");
  sendConsent(page, {
    application,
    redirectUri: registeredUri,
    realm,
    person: personName(login),
    scopes: asked,
    action: pathOn(deps, "/oauth/consent"),
    hidden: {
      authorization: queryString(query),
      login: login.id,
      shown: fingerprintOf(
        application,
        asked.map(({ scope }) => scope),
      ),
      form_token: formTokenFor(deps, page),
    },
    notYou: signInPath(deps, authorizePath(withoutReauthentication(query)), { again: true }),
  });
}

/**
 * Begins the session, stores the consent given now, and sends the code. A user who was offboarded gets a page instead.
 */
async function answerWithCode(
  page: PageRequest,
  request: AuthorizationRequest,
  login: Login,
  allowed: readonly Scope[] = [],
): Promise<void> {
  const { deps, response } = page;
  const at = deps.clock.now();
  const { userId } = login;
  const { application } = request;
  const code = await deps.db.transaction(async (tx) => {
    if (allowed.length > 0) await consents.grant(tx, { userId, application, scopes: allowed, at });
    return issueCode(tx, { request, login, at });
  });
  if (code === undefined) {
    rememberRealm(page, await realms.findById(deps.db, request.application.realmId));
    await sendAccessEnded(page, { realmId: request.application.realmId, userId });
  } else {
    sendCode(deps, response, request, code);
  }
}

/**
 * Returns a digest of a consent page's content: the application with its redirect URIs, and its scopes. With one
 * redirect URI the digest equals the previous release's, so each release accepts the other's pages.
 */
const fingerprintOf = (
  { name, clientUri, redirectUris: [first, ...more] }: AuthorizationRequest["application"],
  scopes: readonly Scope[],
): string =>
  createHash("sha256")
    .update(JSON.stringify([name, clientUri, first, ...(more.length > 0 ? [more] : []), ...[...scopes].sort()]))
    .digest("base64url");

const queryString = (query: PageRequest["query"]): string =>
  new URLSearchParams(
    [...query].flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
  ).toString();

const authorizePath = (query: PageRequest["query"]): string => `/oauth/authorize?${queryString(query)}`;

/** Returns the request without the demand to sign in again, which is met once the user returns. */
function withoutReauthentication(query: PageRequest["query"]): PageRequest["query"] {
  const rest = new Map(query);
  rest.delete("max_age");
  rest.delete("prompt");
  const prompt = (query.get("prompt")?.[0] ?? "")
    .split(" ")
    .filter((value) => value !== "" && value !== "login" && value !== "select_account");
  if (prompt.length > 0) rest.set("prompt", [prompt.join(" ")]);
  return rest;
}

function redirect({ response }: PageRequest, location: string): void {
  response.statusCode = 303;
  response.setHeader("Location", location);
  response.end();
}
