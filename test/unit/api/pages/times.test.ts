import { describe, expect, test } from "vitest";
import { dayIn, durationIn, momentIn, timeIn } from "../../../../api/pages/parts/dates.ts";
import { filled, timesIn } from "../../../../api/pages/parts/times.tsx";

const newYear = new Date("2026-12-31T23:30:00Z");
const minute = 60_000;
const htmlOf = (child: unknown): string => (child as { toString(): string }).toString();

describe("a moment", () => {
  test.each([
    ["en", "Europe/Berlin", "1 January 2027", "00:30 CET"],
    ["de", "Europe/Berlin", "1. Januar 2027", "00:30 MEZ"],
    ["en", "UTC", "31 December 2026", "23:30 UTC"],
    ["en", "America/New_York", "31 December 2026", "18:30 GMT-5"],
  ] as const)("is shown in %s and %s with the name of the zone", (language, zone, day, time) => {
    expect(dayIn(language, zone, newYear)).toBe(day);
    expect(timeIn(language, zone, newYear)).toBe(time);
    expect(momentIn(language, zone, newYear)).toBe(`${day} ${language === "en" ? "at" : "um"} ${time}`);
  });
});

test.each([
  [29.9, "29 minutes", "29 Minuten"],
  [1.5, "1 minute", "1 Minute"],
  [0.2, "1 minute", "1 Minute"],
  [119, "119 minutes", "119 Minuten"],
  [120, "2 hours", "2 Stunden"],
  [23.9 * 60, "23 hours", "23 Stunden"],
])("%d minutes are shown as %s: rounded down, but to one minute at least", (minutes, english, german) => {
  expect(durationIn("en", minutes * minute)).toBe(english);
  expect(durationIn("de", minutes * minute)).toBe(german);
});

test("an end within a day is shown with the time left, a later end as a day", () => {
  const end = (minutes: number): string => {
    const now = new Date(newYear.getTime() - minutes * minute);
    return htmlOf(timesIn("en", { timeZone: "Europe/Berlin", now }).end(newYear));
  };
  expect(end(30)).toBe(
    '<time datetime="2026-12-31T23:30:00.000Z">1 January 2027 at 00:30 CET</time>, for another 30 minutes',
  );
  expect(end(24 * 60)).toBe('<time datetime="2026-12-31T23:30:00.000Z">1 January 2027</time>');
  expect(end(-1)).toBe('<time datetime="2026-12-31T23:30:00.000Z">1 January 2027</time>');
});

test("placeholders are filled in the text's own order, and values are escaped and not expanded", () => {
  const text = (name: string, time: string) => `At ${time}, ${name} & co.`;
  expect(htmlOf(filled(text, "<b>\ue001", "noon"))).toBe("At noon, &lt;b&gt;\ue001 &amp; co.");
});
