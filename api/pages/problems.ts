/** Every problem that a page can report, with its status. Its words are in each language's texts. */
export const problems = {
  bad_request: { status: 400 },
  method_not_allowed: { status: 405 },
  unknown_client: { status: 400 },
  redirect_mismatch: { status: 400 },
  logout_refused: { status: 400 },
  form_expired: { status: 403 },
  offboarded: { status: 403 },
  not_found: { status: 404 },
  link_ended: { status: 410 },
  no_sign_in: { status: 403 },
  too_many_requests: { status: 429 },
  upstream_unreachable: { status: 503 },
  upstream_refused: { status: 403 },
  upstream_not_permitted: { status: 403 },
  upstream_no_identifier: { status: 403 },
  upstream_bad_answer: { status: 502 },
  upstream_attempt_ended: { status: 400 },
  identity_conflict: { status: 403 },
  not_set_up: { status: 403 },
  console_missing: { status: 503 },
  unavailable: { status: 503 },
  broken: { status: 500 },
} as const satisfies Record<string, { status: number }>;

export type Problem = keyof typeof problems;
export const allProblems = Object.keys(problems) as Problem[];
