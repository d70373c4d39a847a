import { withoutCredentials } from "./log.ts";

const everyMs = 60_000;

/** How often an error has occurred since the last report, and the latest reason. */
export interface Repeated {
  count: number;
  reason: string;
}

/**
 * Limits reports of an error that can repeat several times a second while a part is unavailable: reports the first
 * occurrence, then at most once a minute the number of occurrences since.
 */
export function createSeldom(
  log: (repeated: Repeated) => void,
  { now = () => performance.now() }: { now?: () => number } = {},
): (error: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (error) => {
    count += 1;
    if (now() - toldAt < everyMs) return;
    toldAt = now();
    log({ count, reason: reasonOf(error) });
    count = 0;
  };
}

/** Returns the error's message; if connecting to several addresses failed, the messages of all attempts. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "")
    return [...new Set((error.errors as unknown[]).map(reasonOf))].join("; ");
  return withoutCredentials(error instanceof Error ? error.message || error.name : String(error));
}
