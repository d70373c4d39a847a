/** The time, passed in wherever it matters so that tests can move it. */
export interface Clock {
  now(): Date;
}

/** The machine's clock: the only place that asks for it. */
export const systemClock: Clock = { now: () => new Date() };
