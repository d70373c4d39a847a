/** Something that goes on beside a test until it is stopped, which answers the outcome of every call. */
export interface Repeating<Outcome> {
  stop(): Promise<Outcome[]>;
}

/** Makes a call again and again, each when the one before has ended. What a call throws, `stop` throws. */
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
