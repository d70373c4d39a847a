import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import type { SignInCheck } from "../../../domain/people/sign-in-checks.ts";
import type { Problem } from "../../pages/problems.ts";

/** Problems of a sign-in that involve the identity provider. */
export type UpstreamProblem = Extract<Problem, `upstream_${string}`>;

/**
 * Thrown when an identity provider is unreachable, refuses, or sends an invalid response, and when the attempt has
 * ended.
 */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly problem: UpstreamProblem;
  /** The check that failed, shown in a test of the sign-in. */
  readonly check: SignInCheck;
  constructor(problem: UpstreamProblem, reason: string, options: ErrorOptions & { check?: SignInCheck } = {}) {
    super(reason, options);
    this.problem = problem;
    this.check = options.check ?? checkOf(problem, options.cause);
  }
}

function checkOf(problem: UpstreamProblem, cause: unknown): SignInCheck {
  if (problem === "upstream_unreachable") return "unreachable";
  if (problem === "upstream_refused") return "refused";
  if (problem === "upstream_no_identifier") return "identifier";
  // RFC 6749 section 5.2: a 401 with the header if the client tried to authenticate by Basic.
  const isOfClient =
    (cause instanceof ResponseBodyError && ["invalid_client", "unauthorized_client"].includes(cause.error)) ||
    (cause instanceof WWWAuthenticateChallengeError && cause.status === 401);
  return isOfClient ? "client" : "answer";
}

/**
 * Runs a function that reads an identity provider's response. Converts any error to an {@link UpstreamError}: the
 * response is at fault.
 */
export async function wrapUpstreamErrors<Result>(read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof UpstreamError
      ? error
      : new UpstreamError("upstream_bad_answer", reasonOf(error), { cause: error });
  }
}

/**
 * Describes an error. Contains nothing that was sent except an OAuth error code: no token, no authorization code, no
 * claim.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    return `${error.message}: ${/^[a-z_]{1,60}$/.test(error.error) ? error.error : "of an unknown kind"}`;
  }
  if (
    error instanceof OperationProcessingError ||
    error instanceof UnsupportedOperationError ||
    error instanceof WWWAuthenticateChallengeError
  ) {
    return error.message;
  }
  if (!(error instanceof Error)) return "unknown";
  return error.cause instanceof Error ? `${error.name}: ${codeOf(error.cause)}` : codeOf(error);
}

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" && error.code !== "" ? error.code : error.name;
