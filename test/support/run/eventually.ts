/** The longest pause between two tries, in milliseconds: a test that waits long leaves the CPU to others. */
const pauseMsMax = 100;

/**
 * Tries until the assertion holds; at the deadline, fails with the error of the last try. Pauses between tries grow
 * from `everyMs` with the time waited, so they prolong the wait only a little.
 */
export async function eventually<Result>(
  assertion: () => Promise<Result> | Result,
  { withinMs = 60_000, everyMs = 25 }: { withinMs?: number; everyMs?: number } = {},
): Promise<Result> {
  const began = performance.now();
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > began + withinMs) throw error;
    }
    const waitedMs = performance.now() - began;
    const pauseMs = Math.max(everyMs, Math.min(waitedMs / 20, pauseMsMax));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
