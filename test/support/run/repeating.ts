/** Calls that repeat during a test until `stop`, which returns the outcome of every call. */
export interface Repeating<Outcome> {
  stop(): Promise<Outcome[]>;
}

/** Repeats a call, each time after the previous one has ended. `stop` throws what a call has thrown. */
export function repeating<Outcome>(call: (count: number) => Promise<Outcome>): Repeating<Outcome> {
  let stopped = false;
  const run = async (): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    while (!stopped) outcomes.push(await call(outcomes.length));
    return outcomes;
  };
  const running = run();
  running.catch(() => undefined);
  return {
    stop() {
      stopped = true;
      return running;
    },
  };
}
