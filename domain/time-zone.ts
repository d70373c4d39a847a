import type { Language } from "./words/language.ts";

/** Names in the IANA database: `Europe/Berlin`, `UTC`, `Etc/GMT+5`. Offsets such as `+02:00` do not match. */
const zoneName = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

/** Whether a time zone of this name exists. */
export function isTimeZone(name: string): boolean {
  if (!zoneName.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates a function that writes times in a form that spreadsheets recognize: `22.11.2026 06:30:00`, `2026-11-22
 * 06:30:00`.
 */
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

/** Returns when the clocks of a zone show 23:59 on a day (`2026-11-22`); if they show it twice, the later moment. */
export const lastMinuteOf = (day: string, zone: string): Date => momentAt(`${day}T23:59`, zone) ?? new Date(Number.NaN);

/**
 * Returns when the clocks of a zone show a time (`2026-11-22T06:30`, optionally with seconds). If they show it twice:
 * the later moment. If they skip it: the moment by the offset before the change. Returns undefined if the text is not
 * such a time.
 */
export function momentAt(text: string, zone: string): Date | undefined {
  const write = createTimeWriter({ language: "en", zone });
  const shown = Date.parse(`${text}Z`);
  // `Date.parse` reads 30 February as 2 March.
  if (Number.isNaN(shown) || new Date(shown).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  const shownAt = (at: number): number => Date.parse(`${write(new Date(at)).replace(" ", "T")}Z`);
  // The moment by the zone's offset a day earlier, and the moment by its offset a day later: the two differ if the
  // clocks change in between.
  const moments = [-dayMs, dayMs].map((away) => shown - (shownAt(shown + away) - (shown + away)));
  const right = moments.filter((at) => shownAt(at) === shown);
  return new Date(Math.max(...(right.length > 0 ? right : moments)));
}

const dayMs = 24 * 60 * 60 * 1_000;
