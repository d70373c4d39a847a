/** Keys that are known to be over a limit, so that nobody has to be asked about them until their window ends. */
export interface ExhaustedKeys {
  /** How many milliseconds the window of a known key still lasts; undefined for every other key. */
  msLeft(key: string): number | undefined;
  /** The window of this key ends in so many milliseconds. */
  add(key: string, msBeforeNext: number): void;
  isEmpty(): boolean;
}

/**
 * Remembers at most `keysMax` keys, each until its window ends and no longer: a client slightly over its limit still gets
 * the whole limit in the next one. Where others count the same keys, one is asked about again after `askAgainMs`.
 */
export function createExhaustedKeys({
  keysMax = 10_000,
  askAgainMs = Number.POSITIVE_INFINITY,
}: { keysMax?: number; askAgainMs?: number } = {}): ExhaustedKeys {
  const known = new Map<string, { askAt: number; endsAt: number }>();
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
      // A key that is forgotten costs one more question, and nothing else.
      if (known.size >= keysMax && !known.has(key)) known.clear();
      const now = performance.now();
      known.set(key, { askAt: now + Math.min(askAgainMs, msBeforeNext), endsAt: now + msBeforeNext });
    },
    isEmpty: () => known.size === 0,
  };
}
