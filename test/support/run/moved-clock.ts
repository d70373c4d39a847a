import { systemClock, type ServiceClock } from "../../../runtime/clock.ts";

/** The clock of a machine that is ahead of this one, by as many minutes as it was set to last. */
export function movedClock(): ServiceClock & { setAhead: (minutes: number) => void } {
  let ahead = 0;
  return {
    now: () => new Date(systemClock.now().getTime() + ahead * 60_000),
    isInStep: () => true,
    setAhead: (minutes) => (ahead = minutes),
  };
}
