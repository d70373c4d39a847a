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

/**
 * Returns this machine's clock; in the last ten minutes of an hour, one that has the next hour already. For tests of what
 * is counted by the hour: they do not see one end.
 */
export function clockWithinAnHour(): ServiceClock {
  const clock = movedClock();
  const minutes = systemClock.now().getUTCMinutes();
  if (minutes >= 50) clock.setAhead(60 - minutes);
  return clock;
}
