import type { Language } from "./words/language.ts";

/** Names as the IANA database has them: `Europe/Berlin`, `UTC`, `Etc/GMT+5`. Offsets such as `+02:00` are none. */
const zoneName = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

/** Whether there is a time zone of this name. */
export function isTimeZone(name: string): boolean {
  if (!zoneName.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** How a moment is written where spreadsheets shall take it for one: `22.11.2026 06:30:00`, `2026-11-22 06:30:00`. */
export function createTimeWriter({ language, zone }: { language: Language; zone: string }): (at: Date) => string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  });
  return (at) => {
    const part = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const [year, month, day] = [part.get("year"), part.get("month"), part.get("day")];
    const time = `${part.get("hour")}:${part.get("minute")}:${part.get("second")}`;
    return language === "de" ? `${day}.${month}.${year} ${time}` : `${year}-${month}-${day} ${time}`;
  };
}

/** The last minute of a day (`2026-11-22`) by the clocks of a zone: when they show 23:59; of two such moments the later one. */
export function lastMinuteOf(day: string, zone: string): Date {
  const write = createTimeWriter({ language: "en", zone });
  const shown = Date.parse(`${day}T23:59:00Z`);
  const shownAt = (at: number): number => Date.parse(`${write(new Date(at)).replace(" ", "T")}Z`);
  // By how much the zone is ahead before any change of its clocks, and after it.
  const moments = [-dayMs, dayMs].map((away) => shown - (shownAt(shown + away) - (shown + away)));
  const right = moments.filter((at) => shownAt(at) === shown);
  return new Date(Math.max(...(right.length > 0 ? right : moments)));
}

const dayMs = 24 * 60 * 60 * 1_000;
