/** Runs work when all that was asked for before has ended, however it ended; resolves or rejects as the work does. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** One thing at a time, first come, first served. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
