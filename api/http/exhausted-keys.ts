import { BoundedMap } from "../../runtime/bounded-map.ts";

/** Keys known to be over a limit; until their window ends they are refused without a look-up. */
export interface ExhaustedKeys {
  /** Returns how many milliseconds remain of the window of a known key; undefined for every other key. */
  msLeft(key: string): number | undefined;
  /** Adds a key whose window ends after `msBeforeNext`. */
  add(key: string, msBeforeNext: number): void;
  isEmpty(): boolean;
}

/**
 * Remembers at most `keysMax` keys, each until its window ends, so a client slightly over its limit still gets the
 * whole limit in the next window. Forgetting a key costs only one more look-up. Set `askAgainMs` if other processes
 * count the same keys: a key is then looked up again after that time.
 */
export function createExhaustedKeys({
  keysMax = 10_000,
  askAgainMs = Number.POSITIVE_INFINITY,
}: { keysMax?: number; askAgainMs?: number } = {}): ExhaustedKeys {
  const known = new BoundedMap<string, { askAt: number; endsAt: number }>(keysMax);
  return {
    msLeft(key) {
      const found = known.get(key);
      if (found === undefined) return undefined;
      const now = performance.now();
      if (now < found.askAt) return found.endsAt - now;
      known.delete(key);
      return undefined;
    },
    add(key, msBeforeNext) {
      const now = performance.now();
      known.set(key, { askAt: now + Math.min(askAgainMs, msBeforeNext), endsAt: now + msBeforeNext });
    },
    isEmpty: () => known.size === 0,
  };
}
