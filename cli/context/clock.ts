import { setTimeout as delay } from "node:timers/promises";

/** The time on this machine; tests replace it. */
export interface Clock {
  now(): Date;
  /** Resolves after `ms` milliseconds. Rejects if `signal` is aborted first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  wait: (ms, signal) => delay(ms, undefined, { signal }),
};
