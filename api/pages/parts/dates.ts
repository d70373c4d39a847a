import type { Language } from "../../../domain/words/language.ts";

const locales: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE" };

const day = { day: "numeric", month: "long", year: "numeric" } as const;
const time = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;

/**
 * Returns a function that formats dates. Caches one formatter per language and zone, because formatters are slow to
 * create.
 */
function formats(options: Intl.DateTimeFormatOptions) {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (language: Language, timeZone: string, at: Date): string => {
    const key = `${language} ${timeZone}`;
    const format = made.get(key) ?? new Intl.DateTimeFormat(locales[language], { ...options, timeZone });
    made.set(key, format);
    return format.format(at);
  };
}

/** Formats the day, in a time zone of the IANA database. */
export const dayIn = formats(day);

/** Formats the time of day, with its zone. */
export const timeIn = formats(time);

/** Formats day and time, with the zone. */
export const momentIn = formats({ ...day, ...time });

/** Formats day and time to the second, with the zone. */
export const secondIn = formats({ ...day, ...time, second: "2-digit" });

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Formats a duration, rounded down: below two hours in whole minutes, at least one; otherwise in whole hours. */
export function durationIn(language: Language, ms: number): string {
  const [unit, count] =
    ms < 2 * hourMs
      ? (["minute", Math.max(1, Math.floor(ms / minuteMs))] as const)
      : (["hour", Math.floor(ms / hourMs)] as const);
  return new Intl.NumberFormat(locales[language], { style: "unit", unit, unitDisplay: "long" }).format(count);
}
