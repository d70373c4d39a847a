/** The time between the starts of two calls, long enough to stay well within a session's rate limit. */
const gapMs = 30;

const waiting: { signal: AbortSignal; begin: () => void }[] = [];
let pacing = false;

function next(): void {
  const turn = waiting.shift();
  pacing = turn !== undefined;
  if (turn === undefined) return;
  turn.begin();
  setTimeout(next, turn.signal.aborted ? 0 : gapMs);
}

/** Sends the many small calls of a page in turn, so they never use up the session's rate limit. */
export async function throttleCalls<Answer>(signal: AbortSignal, call: () => Promise<Answer>): Promise<Answer> {
  await new Promise<void>((begin) => {
    waiting.push({ signal, begin });
    if (!pacing) next();
  });
  signal.throwIfAborted();
  return call();
}
