import { withoutCredentials } from "./log.ts";

const everyMs = 60_000;

/** How often an error came since it was last told, and what was said the last time. */
export interface Repeated {
  count: number;
  reason: string;
}

/**
 * Takes an error that repeats as long as something is away, several times a second perhaps: tells the first one, and then
 * at most once a minute how many there were.
 */
export function createSeldom(
  tell: (repeated: Repeated) => void,
  { now = () => performance.now() }: { now?: () => number } = {},
): (error: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (error) => {
    count += 1;
    if (now() - toldAt < everyMs) return;
    toldAt = now();
    tell({ count, reason: reasonOf(error) });
    count = 0;
  };
}

/** The other side's words. An attempt at several addresses has those of each of them. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "")
    return [...new Set((error.errors as unknown[]).map(reasonOf))].join("; ");
  return withoutCredentials(error instanceof Error ? error.message || error.name : String(error));
}
