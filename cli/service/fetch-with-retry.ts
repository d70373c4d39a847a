import { CommandError, interruption } from "../../terminal/failure.ts";

const triesMax = 5;
/** A longer Retry-After is not waited for: the refusal is the answer. */
const retryAfterSecondsMax = 60;

export interface RetryOptions {
  /** Resolves after so many milliseconds. Rejects when `signal` is aborted first. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  interrupted: AbortSignal;
  /** Tells the user what the command waits for. */
  notify: (message: string) => void;
  /** Whether the request can be sent again: its body is still there. */
  repeatable?: boolean;
}

/**
 * Sends a request again after a failure of the network, and after 429 or 503 when their Retry-After (RFC 9110 section
 * 10.2.3) says. The request must be one that may arrive twice: it changes nothing or carries an Idempotency-Key.
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

/** The seconds a 429 or 503 asks for; undefined when there is nothing to wait for. */
function retryAfter({ status, headers }: Response): number | undefined {
  const seconds = headers.get("Retry-After");
  if ((status !== 429 && status !== 503) || seconds === null || !/^[0-9]{1,5}$/.test(seconds)) return undefined;
  return Number(seconds) > retryAfterSecondsMax ? undefined : Number(seconds);
}

/** Failures that may pass within seconds; that a certificate is not trusted does not. */
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
