import { CommandError, interruption } from "../../terminal/failure.ts";

const triesMax = 5;
/** If Retry-After is longer, the command does not wait and reports the refusal. */
const retryAfterSecondsMax = 60;

export interface RetryOptions {
  /** Resolves after `ms` milliseconds. Rejects if `signal` is aborted first. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  interrupted: AbortSignal;
  /** Informs the user about a wait. */
  notify: (message: string) => void;
  /** Whether the command can send the request again: its body is still available. */
  repeatable?: boolean;
}

/**
 * Sends a request at most `triesMax` times: repeats it after a temporary network failure, and after a 429 or 503 once
 * the time in Retry-After (RFC 9110 section 10.2.3) has passed. Returns any other response. The request must be safe to
 * repeat: it changes nothing or has an Idempotency-Key.
 */
export async function fetchWithRetry(
  send: () => Promise<Response>,
  { wait: pause, interrupted, notify, repeatable = true }: RetryOptions,
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const isLast = !repeatable || tries === triesMax;
    const outcome = await send().catch((error: unknown) => {
      if (interrupted.aborted) throw interruption();
      if (isLast || !isNetworkFailure(error)) throw unreachable(error);
      return unreachable(error);
    });
    const wait = outcome instanceof Response ? retryAfter(outcome) : 2 ** (tries - 2);
    if (outcome instanceof Response) {
      if (isLast || wait === undefined) return outcome;
      await outcome.body?.cancel();
      notify(`The service is busy (${outcome.status}); trying again in ${wait} s.`);
    } else {
      notify(`${outcome.message} Trying again in ${wait} s.`);
    }
    await pause((wait ?? 0) * 1_000, interrupted).catch(() => {
      throw interruption();
    });
  }
}

/** Returns the seconds to wait after a 429 or 503; undefined if the command should not wait. */
function retryAfter({ status, headers }: Response): number | undefined {
  const seconds = headers.get("Retry-After");
  if ((status !== 429 && status !== 503) || seconds === null || !/^[0-9]{1,5}$/.test(seconds)) return undefined;
  return Number(seconds) > retryAfterSecondsMax ? undefined : Number(seconds);
}

/** Returns true if a failure can pass within seconds; an untrusted certificate does not. */
const isNetworkFailure = (error: unknown): boolean => isTimeout(error) || temporary.has(codeOf(error) ?? "");

const temporary = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_SOCKET",
]);

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";

function codeOf(error: unknown): string | undefined {
  const cause =
    error instanceof Error ? (error.cause as { code?: unknown; errors?: readonly unknown[] } | undefined) : undefined;
  if (typeof cause?.code === "string") return cause.code;
  return cause?.errors === undefined ? undefined : codeOf(new Error("", { cause: cause.errors[0] }));
}

function unreachable(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const reason = isTimeout(error) ? "no answer in time" : reasonOf(error);
  return new CommandError("unreachable", `The service cannot be reached: ${reason}.`, { cause: error });
}

const reasonOf = (error: unknown): string => {
  const code = codeOf(error);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  return message === "" ? (code ?? "unknown") : message;
};
