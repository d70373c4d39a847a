import { systemClock, type ServiceClock } from "../../../runtime/clock.ts";

/** Makes a clock that is ahead of this machine's clock by the number of minutes that was set last. */
export function movedClock(): ServiceClock & { setAhead: (minutes: number) => void } {
  let ahead = 0;
  return {
    now: () => new Date(systemClock.now().getTime() + ahead * 60_000),
    isInStep: () => true,
    setAhead: (minutes) => (ahead = minutes),
  };
}

/**
 * Returns this machine's clock; in the last ten minutes of an hour, returns a clock that already shows the next hour.
 * For tests of counts per hour: no hour ends while they run.
 */
export function clockWithinAnHour(): ServiceClock {
  const clock = movedClock();
  const minutes = systemClock.now().getUTCMinutes();
  if (minutes >= 50) clock.setAhead(60 - minutes);
  return clock;
}
