import * as realms from "../../../db/queries/realm/realms.ts";
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
import { readAttempt, type Attempt } from "./attempt.ts";
import { findInUse } from "./chosen-upstream.ts";
import { hasBadAddress, namesOf, personOf, type UpstreamPerson } from "./claims-to-user.ts";
import { findOrCreateUser, type SignInOutcome } from "./find-or-create-user.ts";
import type { ProvidersOfRealms } from "./providers-of-realms.ts";
import { readClaims, type Callback } from "./read-claims.ts";
import { finishTest } from "./test-sign-in.ts";
import { UpstreamError } from "./upstream-error.ts";
import { sendUpstreamProblem } from "./upstream-problem.ts";

/**
 * `GET /login/upstream/callback`: signs in the user whom the identity provider sends back, in the browser that began
 * the sign-in, or ends a test.
 */
export const finishLogin = (providers: ProvidersOfRealms): ((page: PageRequest) => Promise<void>) => {
  const callback: Callback = { providers, underWay: new Set() };
  return async (page) => {
    const { deps } = page;
    const attempt = readAttempt(page);
    if (attempt === undefined) {
      sendProblem(page, "upstream_attempt_ended", { startAgain: pathOn(deps, "/login") });
      return;
    }
    const { realmId, realmName, path, test } = attempt;
    if (test !== undefined) {
      await finishTest(page, { ...attempt, test }, callback);
      return;
    }
    const again = (toBeAsked: boolean): string =>
      signInAddress(deps, { realmName, path, again: toBeAsked }, "/login/upstream");
    try {
      const { issuer, person, claimNames } = await readPerson(page, attempt, callback);
      const arrived = await findOrCreateUser(deps, { realmId, issuer, person });
      const problem = "problem" in arrived ? arrived.problem : await signIn(page, attempt, arrived);
      deps.metrics.signIn("upstream", problem === undefined ? "ok" : "refused");
      if (problem === undefined) return;
      deps.metrics.upstreamRefusal("oidc", problem);
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
      // A refused user may want to sign in as another user; the provider asks for that only if requested.
      await sendUpstreamProblem(page, error, { realmId, startAgain: again(error.problem === "upstream_refused") });
    }
  };
};

/** Returns the person whom the provider names. Nothing is stored about them yet. */
async function readPerson(
  page: PageRequest,
  attempt: Attempt,
  callback: Callback,
): Promise<{ issuer: string; person: UpstreamPerson; claimNames: readonly string[] }> {
  const { realmId } = attempt;
  const upstream = await findInUse(page.deps, { id: realmId });
  const { issuer, claims } = await readClaims(page, { attempt, upstream }, callback);
  const names = upstream?.claims ?? {};
  const person = personOf(claims, names);
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
}

/** Signs the user in and redirects; returns the reason if the user was offboarded in the meantime. */
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
