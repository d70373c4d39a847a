import type { Log } from "./log.ts";

/** The time, passed in wherever it matters so tests can move it. */
export interface Clock {
  now(): Date;
}

/** A clock that knows whether it can be trusted. */
export interface ServiceClock extends Clock {
  /** Returns false while nothing with a date may be written or signed. */
  isInStep(): boolean;
}

/** The machine's clock. No other code of the servers reads the machine's time. */
export const systemClock: ServiceClock = { now: () => new Date(), isInStep: () => true };

/** A difference between two clocks that is worth a warning, in milliseconds. */
export const skewMsNoticed = 2_000;

/** If two clocks differ by more than this, one of them is wrong. In milliseconds. */
export const skewMsMax = 5_000;

/** If the wall clock and the monotonic clock move apart by more than this, the wall clock was set. In milliseconds. */
const jumpMsMax = 1_000;

/** A measurement that takes longer than this is too imprecise. In milliseconds. */
const measuringMsMax = 2_000;

const measureEveryMs = 5_000;
const retryEveryMs = 1_000;

/**
 * Returns how far the first clock is ahead of the second, in milliseconds; below 0: behind. The first clock was read
 * `before` and `after`; the second showed `now` in between. The error is at most half the time between the two
 * readings. Returns 0 if the readings do not show a difference.
 */
export function skewMs({ before, now, after }: { before: Date; now: Date; after: Date }): number {
  if (before <= now && now <= after) return 0;
  return Math.round((before.getTime() + after.getTime()) / 2) - now.getTime();
}

/**
 * The machine's clock, corrected by its difference from the database's, so that processes on all machines have the same
 * time.
 */
export interface DatabaseClock extends ServiceClock {
  /** How far the machine's clock is ahead of the database's, in milliseconds; null: not measured yet. */
  readonly skewMs: number | null;
  /**
   * Compares the two clocks now. The last measurement stays in force if this one is too imprecise, or if the database's
   * clock cannot be read; in the latter case, rejects.
   */
  measure(): Promise<void>;
  /** Measures repeatedly until stopped. Resolves after the first attempt, whether it succeeded or not. */
  start(): Promise<void>;
  stop(): void;
}

export interface DatabaseClockOptions {
  /** Reads the database's clock. */
  readTime: () => Promise<Date>;
  log?: Pick<Log, "info" | "warn" | "error">;
  /** Receives a problem while the clocks differ by more than two seconds. */
  problems?: { report(code: "clock_skewed", detail: string): void; end(code: "clock_skewed", detail: string): void };
  /** Reads the skews of the other live processes, in milliseconds. */
  readOtherSkews?: () => Promise<readonly number[]>;
  machine?: Clock;
  /** A monotonic clock in milliseconds, independent of the wall clock. */
  monotonicMs?: () => number;
}

type Standing = "right" | "skewed" | "untrusted";

const problem = ["clock_skewed", "this machine's clock and the database's differ by more than 2 s"] as const;

/**
 * Creates a clock that follows the database's clock. The clock is out of step until the first measurement, and while
 * the difference is above five seconds. After someone sets the machine's clock, it is out of step until the measurement
 * after the one that detects the change.
 */
export function createDatabaseClock({
  readTime,
  log,
  problems,
  readOtherSkews,
  machine = systemClock,
  monotonicMs = () => performance.now(),
}: DatabaseClockOptions): DatabaseClock {
  let measured: { skewMs: number; wallMs: number; monotonicMs: number; isGood: boolean } | undefined;
  let lastLogged = "right";
  let timer: NodeJS.Timeout | undefined;
  let measuring: Promise<void> | undefined;

  const hasJumped = (): boolean =>
    measured !== undefined &&
    Math.abs(machine.now().getTime() - measured.wallMs - (monotonicMs() - measured.monotonicMs)) > jumpMsMax;

  async function measure(): Promise<void> {
    const startedAt = monotonicMs();
    const before = machine.now();
    const now = await readTime();
    const after = machine.now();
    const endedAt = monotonicMs();
    const jumped = hasJumped();
    // If someone set the clock between the two readings, this time is too long or negative.
    const wallMs = after.getTime() - before.getTime();
    if (endedAt - startedAt > measuringMsMax || wallMs > measuringMsMax || wallMs < 0) return;
    const skew = skewMs({ before, now, after });
    const isGood = !jumped && Math.abs(skew) <= skewMsMax;
    measured = { skewMs: skew, wallMs: after.getTime(), monotonicMs: endedAt, isGood };
    await logChange(isGood ? (Math.abs(skew) > skewMsNoticed ? "skewed" : "right") : "untrusted", {
      skewMs: skew,
      jumped,
    });
  }

  /** Logs and reports the clock's standing if it has changed. */
  async function logChange(standing: Standing, fields: { skewMs: number; jumped: boolean }): Promise<void> {
    const isAlike = Math.abs(fields.skewMs) > skewMsNoticed && (await areOthersAlike(fields.skewMs));
    const state = `${standing} ${isAlike ? "alike" : ""}`.trim();
    if (state === lastLogged) return;
    const before = lastLogged;
    lastLogged = state;
    if (standing === "right") {
      log?.info({ event: "clock.trusted", ...fields }, "this machine's clock and the database's agree again");
      problems?.end(...problem);
      return;
    }
    if (before === "right" && Math.abs(fields.skewMs) > skewMsNoticed) problems?.report(...problem);
    const advice = isAlike ? "; all processes differ from the database alike, so its clock may be the wrong one" : "";
    if (standing === "skewed") {
      log?.warn({ event: "clock.skewed", ...fields }, `this machine's clock and the database's differ${advice}`);
    } else {
      log?.error(
        { event: "clock.untrusted", ...fields },
        `this machine's clock was set, or is too far off the database's: nothing with a date is written or signed${advice}`,
      );
    }
  }

  async function areOthersAlike(skew: number): Promise<boolean> {
    const others = (await readOtherSkews?.().catch(() => [])) ?? [];
    return others.length > 0 && others.every((other) => Math.abs(other - skew) <= skewMsNoticed);
  }

  const clock: DatabaseClock = {
    now: () => new Date(machine.now().getTime() - (measured?.skewMs ?? 0)),
    isInStep: () => measured?.isGood === true && !hasJumped(),
    get skewMs() {
      return measured?.skewMs ?? null;
    },
    measure,
    async start() {
      const turn = (): Promise<void> => {
        const isFresh = measured !== undefined && monotonicMs() - measured.monotonicMs < measureEveryMs;
        if (isFresh && clock.isInStep()) return Promise.resolve();
        // While Postgres is unavailable, the last measurement stays in force: detecting a change of the machine's clock
        // does not need Postgres.
        return (measuring ??= measure()
          .catch(() => undefined)
          .finally(() => (measuring = undefined)));
      };
      timer = setInterval(() => void turn(), retryEveryMs).unref();
      await turn();
    },
    stop() {
      clearInterval(timer);
    },
  };
  return clock;
}
