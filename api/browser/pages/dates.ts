import type { Language } from "../../../domain/words/language.ts";

const locales: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE" };

const formats = (options: Intl.DateTimeFormatOptions): Readonly<Record<Language, Intl.DateTimeFormat>> => ({
  en: new Intl.DateTimeFormat(locales.en, options),
  de: new Intl.DateTimeFormat(locales.de, options),
});

const days = formats({ day: "numeric", month: "long", year: "numeric" });
const times = formats({ hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
const moments = formats({
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

/** A day, in the time zone of the service: pages without scripts do not know the reader's. */
export const dayIn = (language: Language, at: Date): string => days[language].format(at);

/** A time of day, with its zone. */
export const timeIn = (language: Language, at: Date): string => times[language].format(at);

/** Day and time, with the zone. */
export const momentIn = (language: Language, at: Date): string => moments[language].format(at);
