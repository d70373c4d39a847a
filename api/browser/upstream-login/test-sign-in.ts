import * as tests from "../../../db/queries/sign-in/sign-in-tests.ts";
import { sealUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import type { SignInReport } from "../../resources/sign-in/sign-in-report.ts";
import { contextOf } from "../../http/request-context.ts";
import { pathOn } from "../../pages/continue-to.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { redirect } from "../../pages/redirect.ts";
import { endAttempt, type Attempt } from "./attempt.ts";
import { findTest, type TestInBrowser } from "./chosen-upstream.ts";
import { goToProvider } from "./go-to-provider.ts";
import type { Provider } from "./provider.ts";
import type { ProvidersOfRealms } from "./providers-of-realms.ts";
import { readClaims, type Callback } from "./read-claims.ts";
import { failure, outdated, reportOn } from "./test-report.ts";
import { UpstreamError } from "./upstream-error.ts";

/**
 * Sends the user who started a test to the identity provider, which asks them to sign in again. Other users are not
 * sent there.
 */
export async function startTest(
  page: PageRequest,
  { id, providers }: { id: string; providers: ProvidersOfRealms },
): Promise<void> {
  const found = await findTest(page, id);
  if (found === undefined) {
    sendProblem(page, "not_found");
    return;
  }
  const { upstream } = found;
  if (upstream === undefined) {
    await endTest(page, found, outdated);
    return;
  }
  let provider: Provider;
  try {
    provider = await providers.find(upstream);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    await endTest(page, found, failure(error));
    return;
  }
  await goToProvider(page, { upstream, provider, again: true, test: found.test.id });
}

/**
 * Ends a test with a report on what the identity provider sent. Signs nobody in, and stores only the report, sealed.
 */
export async function finishTest(
  page: PageRequest,
  attempt: Attempt & { test: string },
  callback: Callback,
): Promise<void> {
  const found = await findTest(page, attempt.test);
  if (found === undefined) {
    endAttempt(page);
    sendProblem(page, "upstream_attempt_ended", { startAgain: consolePage(page) });
    return;
  }
  const { upstream, login } = found;
  if (upstream === undefined) {
    endAttempt(page);
    await endTest(page, found, outdated);
    return;
  }
  let report: SignInReport;
  try {
    const read = await readClaims(page, { attempt, upstream }, callback);
    report = await reportOn(page.deps, { ...read, names: upstream.claims, login });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (error.problem === "upstream_attempt_ended") {
      sendProblem(page, "upstream_attempt_ended", { startAgain: consolePage(page) });
      return;
    }
    report = failure(error);
  }
  await endTest(page, found, report);
}

const consolePage = ({ deps }: PageRequest, query = ""): string => pathOn(deps, `/console/settings/sign-in${query}`);

/**
 * Stores the report for the user who started the test and redirects to it. The log contains the reason, but no value of
 * a claim.
 */
async function endTest(page: PageRequest, { test }: TestInBrowser, report: SignInReport): Promise<void> {
  const { db, masterKeys } = page.deps;
  const { id, realmId, userId } = test;
  const passed = report.check === null;
  const sealedReport = sealUnderMasterKey(masterKeys, Buffer.from(JSON.stringify(report)), tests.reportContext(id));
  await tests.finish(db, { id, realmId, passed, sealedReport });
  const { check, reason } = report;
  const log = contextOf(page.response).log();
  log.info({ event: "upstream.tested", realmId, userId, check, reason }, "a test sign-in ended");
  redirect(page, consolePage(page, `?test=${id}`));
}
