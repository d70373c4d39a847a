import { AuthorizationResponseError, validateAuthResponse } from "oauth4webapi";
import * as realms from "../../../db/queries/realm/realms.ts";
import { openUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import type { Deps } from "../../contract/deps.ts";
import { rememberRealm } from "../../pages/page-realm.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { contextOf } from "../../http/request-context.ts";
import { sendAccessEnded } from "../../session/access-ended.ts";
import { beginLogin } from "../../session/browser-login.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { homePath } from "../sign-in/home.ts";
import { redirect } from "../../pages/redirect.ts";
import { signInAddress } from "../sign-in/sign-in-request.ts";
import { endAttempt, isLive, readAttempt, spendAttempt, type Attempt } from "./attempt.ts";
import { callbackAddress } from "./callback-address.ts";
import { hasBadAddress, namesOf, personOf, type UpstreamPerson } from "./claims-to-user.ts";
import { exchangeCode } from "./exchange-code.ts";
import { findOrCreateUser, type SignInOutcome } from "./find-or-create-user.ts";
import type { Provider, Providers } from "./provider.ts";
import { wrapUpstreamErrors, reasonOf, UpstreamError, type UpstreamProblem } from "./upstream-error.ts";
import { sendUpstreamProblem } from "./upstream-problem.ts";

/** `GET /login/upstream/callback`: signs the user whom the identity provider sends back in to the browser that left. */
export const finishLogin = (providers: Providers): ((page: PageRequest) => Promise<void>) => {
  // A provider may treat a code that arrives twice as stolen, and revoke what the first request got.
  const underWay = new Set<string>();
  return async (page) => {
    const { deps } = page;
    const attempt = readAttempt(page);
    if (attempt === undefined) {
      sendProblem(page, "upstream_attempt_ended", { startAgain: pathOn(deps, "/login") });
      return;
    }
    const { realmId, realmName, path } = attempt;
    const again = (toBeAsked: boolean): string =>
      signInAddress(deps, { realmName, path, again: toBeAsked }, "/login/upstream");
    try {
      const { issuer, person, claimNames } = await readPerson(page, attempt, { providers, underWay });
      const arrived = await findOrCreateUser(deps, { realmId, issuer, person });
      const problem = "problem" in arrived ? arrived.problem : await signIn(page, attempt, arrived);
      deps.metrics.signIn("upstream", problem === undefined ? "ok" : "refused");
      if (problem === undefined) return;
      const log = contextOf(page.response).log();
      if (problem === "upstream_not_permitted") {
        const { userId } = arrived;
        log.info({ event: "upstream.not_permitted", realmId, userId, claimNames }, "the user may not use the realm");
      } else log.info({ event: "upstream.not_admitted", realmId, problem }, "not signed in");
      rememberRealm(page, await realms.findById(deps.db, realmId));
      const startAgain = again(true);
      if (problem === "offboarded" && arrived.userId !== undefined) {
        await sendAccessEnded(page, { realmId, userId: arrived.userId }, { startAgain });
      } else sendProblem(page, problem, { startAgain });
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      // A refused user may want to sign in as another; the provider would not ask by itself.
      await sendUpstreamProblem(page, error, { realmId, startAgain: again(error.problem === "upstream_refused") });
    }
  };
};

/**
 * Returns the person whom the provider names. Any response to the attempt, good or bad, removes it from the browser; a
 * verified one marks it as used. Nothing else changes it, and nothing is stored before.
 */
async function readPerson(
  page: PageRequest,
  attempt: Attempt,
  { providers, underWay }: { providers: Providers; underWay: Set<string> },
): Promise<{ issuer: string; person: UpstreamPerson; claimNames: readonly string[] }> {
  const { deps } = page;
  const upstream = await realms.findUpstream(deps.db, { id: attempt.realmId });
  if (upstream?.issuer !== attempt.issuer || !(await isLive(page, attempt))) throw ended();
  const provider = await providers.find(upstream.issuer);
  const { clientId, claims: names } = upstream;

  const answer = await readAnswer(page, { provider, clientId, state: attempt.state });
  endAttempt(page);
  if (answer instanceof UpstreamError) throw answer;

  const { state } = attempt;
  if (underWay.has(state)) throw ended();
  underWay.add(state);
  try {
    // Another request may have used it since the check above.
    if (!(await isLive(page, attempt))) throw ended();
    const clientSecret = openSecret(deps, upstream);
    const redirectUri = callbackAddress(deps);
    const { issuer, claims } = await wrapUpstreamErrors(() =>
      exchangeCode({ provider, clientId, clientSecret, answer, redirectUri, attempt, names }),
    );
    if (!(await spendAttempt(page, attempt))) throw ended();
    const person = personOf(claims, names);
    const { realmId } = attempt;
    const log = contextOf(page.response).log();
    if (hasBadAddress(claims, names)) {
      log.warn({ event: "upstream.email_dropped", realmId }, "the e-mail claim is not an address");
    }
    if (person.withheldRoles.length > 0) {
      const { withheldRoles: roles } = person;
      log.info(
        { event: "upstream.claims_withheld", realmId, roles },
        "the provider withholds a claim that gives these roles",
      );
    }
    return { issuer, person, claimNames: namesOf(claims) };
  } finally {
    underWay.delete(state);
  }
}

const ended = (): UpstreamError => new UpstreamError("upstream_attempt_ended", "the attempt was used or is too old");

/**
 * Returns the response to this very attempt (RFC 6749 section 4.1.2, RFC 9207), or the error that the provider sent.
 */
const readAnswer = (
  { query }: PageRequest,
  { provider, clientId, state }: { provider: Provider; clientId: string; state: string },
): Promise<URLSearchParams | UpstreamError> =>
  wrapUpstreamErrors(() => {
    const parameters = new URLSearchParams();
    for (const [name, values] of query) for (const value of values) parameters.append(name, value);
    try {
      return validateAuthResponse(provider.metadata, { client_id: clientId }, parameters, state);
    } catch (error) {
      if (!(error instanceof AuthorizationResponseError)) throw error;
      return new UpstreamError(problems.get(error.error) ?? "upstream_bad_answer", reasonOf(error), { cause: error });
    }
  });

/** Errors that providers send instead of a code (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6). */
const problems: ReadonlyMap<string, UpstreamProblem> = new Map([
  ["access_denied", "upstream_refused"],
  ["login_required", "upstream_refused"],
  ["consent_required", "upstream_refused"],
  ["interaction_required", "upstream_refused"],
  ["account_selection_required", "upstream_refused"],
  ["temporarily_unavailable", "upstream_unreachable"],
  ["server_error", "upstream_unreachable"],
]);

function openSecret(
  { masterKeys }: Pick<Deps, "masterKeys">,
  { realmId, sealedSecret }: realms.RealmUpstream,
): string | undefined {
  if (sealedSecret === null) return undefined;
  return openUnderMasterKey(masterKeys, sealedSecret, realms.upstreamSecretContext(realmId)).toString("utf8");
}

/** Signs the user in and redirects; returns why not if they were offboarded at this very moment. */
async function signIn(
  page: PageRequest,
  { realmId, path }: Attempt,
  { userId, roles, how, lastAdministratorKept }: Exclude<SignInOutcome, { problem: string }>,
): Promise<"offboarded" | undefined> {
  const { deps, response } = page;
  if (!(await beginLogin(deps, page, { realmId, userId, roles, method: "upstream" }))) return "offboarded";
  const log = contextOf(response).log();
  log.info({ event: "upstream.signed_in", realmId, userId, how }, "signed in through the identity provider");
  if (lastAdministratorKept) {
    const sentence =
      "the identity provider no longer gives the administrator role to the realm's last administrator; the role stays";
    log.warn({ event: "roles.last_administrator_kept", realmId, userId }, sentence);
  }
  redirect(page, pathOn(deps, path ?? homePath({ roles })));
  return undefined;
}
