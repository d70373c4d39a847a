import type { Child } from "hono/jsx";
import type { Language } from "../../../domain/words/language.ts";
import { dayIn, durationIn, momentIn, timeIn } from "./dates.ts";
import { pageTexts } from "../texts/page-texts.ts";

/** Formats one page's dates and times. */
export interface Times {
  day(at: Date): Child;
  /** Formats a time of day, with the zone. */
  time(at: Date): Child;
  /** Formats day and time, with the zone. */
  moment(at: Date): Child;
  /** Formats a moment less than a day ahead: its time of day, with the time left. */
  until(at: Date): Child;
  /** Formats an end: its day and, if it is less than a day ahead, its time and the time left. */
  end(at: Date): Child;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Formats moments in a language and a time zone, as elements that programs can read. */
export function timesIn(language: Language, { timeZone, now }: { timeZone: string; now: Date }): Times {
  const timeElement = (how: typeof dayIn, at: Date) => (
    <time datetime={at.toISOString()}>{how(language, timeZone, at)}</time>
  );
  const withRest = (how: typeof dayIn, at: Date) => {
    const rest = durationIn(language, at.getTime() - now.getTime());
    return filled((moment) => pageTexts(language).withRest(moment, rest), timeElement(how, at));
  };
  return {
    day: (at) => timeElement(dayIn, at),
    time: (at) => timeElement(timeIn, at),
    moment: (at) => timeElement(momentIn, at),
    until: (at) => withRest(timeIn, at),
    end(at) {
      const ms = at.getTime() - now.getTime();
      return ms > 0 && ms < dayMs ? withRest(momentIn, at) : timeElement(dayIn, at);
    },
  };
}

/**
 * The first character that marks a gap in a text. All marks are from Unicode's private use area, so no text of the
 * service contains them.
 */
const firstMark = 0xe000;

/** Fills the gaps of a text with elements or foreign words. */
export function filled<Given extends readonly string[]>(
  text: (...given: Given) => string,
  ...parts: { [Index in keyof Given]: Child }
): Child {
  const marks = parts.map((_, index) => String.fromCharCode(firstMark + index));
  const pieces = text(...(marks as unknown as Given)).split(/([\ue000-\uf8ff])/);
  return <>{pieces.map((piece) => (marks.includes(piece) ? parts[marks.indexOf(piece)] : piece))}</>;
}
