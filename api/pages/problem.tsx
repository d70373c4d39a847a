import { sendPage } from "./send-page.tsx";
import type { PageRequest } from "./page-request.ts";

/** Everything that can go wrong on a page: its status, and its words in each language. */
const problems = {
  bad_request: { status: 400 },
  method_not_allowed: { status: 405 },
  unknown_client: { status: 400 },
  redirect_mismatch: { status: 400 },
  logout_refused: { status: 400 },
  form_expired: { status: 403 },
  offboarded: { status: 403 },
  link_ended: { status: 410 },
  no_sign_in: { status: 403 },
  too_many_requests: { status: 429 },
  upstream_unreachable: { status: 503 },
  upstream_refused: { status: 403 },
  upstream_bad_answer: { status: 502 },
  upstream_attempt_ended: { status: 400 },
  identity_conflict: { status: 403 },
  unavailable: { status: 503 },
  broken: { status: 500 },
} as const;

export type Problem = keyof typeof problems;

/** Shows what went wrong, in one sentence, with what to do and the request's id. `startAgain`: a path of ours to try anew. */
export function sendProblem(
  page: Pick<PageRequest, "deps" | "request" | "response">,
  problem: Problem,
  { startAgain, retryAfterSeconds }: { startAgain?: string | undefined; retryAfterSeconds?: number | undefined } = {},
): void {
  const { status } = problems[problem];
  if (status === 503 || status === 429) page.response.setHeader("Retry-After", String(retryAfterSeconds ?? 2));
  sendPage(page, {
    status,
    title: problem,
    body: (
      <p>
        {problem} {startAgain}
      </p>
    ),
  });
}
