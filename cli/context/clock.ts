import { setTimeout as delay } from "node:timers/promises";

/** The time on this machine, passed in so that tests can move it. */
export interface Clock {
  now(): Date;
  /** Resolves after so many milliseconds. Rejects when `signal` is aborted first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  wait: (ms, signal) => delay(ms, undefined, { signal }),
};
