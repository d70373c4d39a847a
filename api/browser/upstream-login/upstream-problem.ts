import * as realms from "../../../db/queries/realm/realms.ts";
import { rememberRealm } from "../../pages/page-realm.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { contextOf } from "../../http/request-context.ts";
import type { UpstreamError, UpstreamProblem } from "./upstream-error.ts";

/** Problems that are neither the service's nor the identity provider's fault: any user can cause them. */
const refusals: ReadonlySet<UpstreamProblem> = new Set(["upstream_refused", "upstream_attempt_ended"]);

/** Logs why a sign-in through an identity provider failed, and shows the problem to the user. */
export async function sendUpstreamProblem(
  page: PageRequest,
  { problem, message: reason }: UpstreamError,
  { realmId, startAgain }: { realmId: string; startAgain: string },
): Promise<void> {
  page.deps.metrics.signIn("upstream", refusals.has(problem) ? "refused" : "failed");
  page.deps.metrics.upstreamRefusal("oidc", problem);
  const log = contextOf(page.response).log();
  log.warn(
    { event: "upstream.failed", realmId, through: "oidc", problem, reason },
    "a sign-in through the identity provider failed",
  );
  rememberRealm(page, await realms.findById(page.deps.db, realmId));
  sendProblem(page, problem, { startAgain });
}
