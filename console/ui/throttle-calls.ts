/** Between the beginnings of two calls: well within what one session may ask in a second. */
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

/** Makes many small calls of one page one after another, so that they never use up what the session may ask. */
export async function throttleCalls<Answer>(signal: AbortSignal, call: () => Promise<Answer>): Promise<Answer> {
  await new Promise<void>((begin) => {
    waiting.push({ signal, begin });
    if (!pacing) next();
  });
  signal.throwIfAborted();
  return call();
}
