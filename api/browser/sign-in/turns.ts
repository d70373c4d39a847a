import { ServiceError } from "../../../domain/errors.ts";

/**
 * Returns a function that runs `atOnceMax` tasks at a time and lets `waitingMax` more wait, for tasks that each take
 * much memory and a core. Throws `unavailable` for further tasks.
 */
export function createTurns({
  atOnceMax,
  waitingMax,
}: {
  atOnceMax: number;
  waitingMax: number;
}): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function takeTurn(): Promise<void> {
    if (running < atOnceMax) {
      running += 1;
      return;
    }
    if (waiting.length >= waitingMax) throw new ServiceError("unavailable", { retryAfterSeconds: 5 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Passes the turn straight to the next in line, so no other task gets in between. */
  function passTurn(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return async (work) => {
    await takeTurn();
    try {
      return await work();
    } finally {
      passTurn();
    }
  };
}
