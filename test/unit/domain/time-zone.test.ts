import { expect, test } from "vitest";
import { createTimeWriter, isTimeZone, lastMinuteOf, momentAt } from "../../../domain/time-zone.ts";

test.each(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "CET", "Asia/Kolkata"])(
  "%s is a time zone",
  (name) => {
    expect(isTimeZone(name)).toBe(true);
  },
);

test.each([
  "",
  "Europe",
  "Europe/Berlin ",
  "Europe/Nowhere",
  "+02:00",
  "Berlin",
  "Europe/Berlin)",
  "=1",
  "a".repeat(9_999),
])("%j is refused", (name) => {
  expect(isTimeZone(name)).toBe(false);
});

test.each([
  ["2026-11-22T05:30:00Z", "22.11.2026 06:30:00", "2026-11-22 06:30:00"],
  // A day begins at midnight, even on a day when the clocks change.
  ["2026-03-28T23:00:00Z", "29.03.2026 00:00:00", "2026-03-29 00:00:00"],
  ["2026-03-29T01:00:00Z", "29.03.2026 03:00:00", "2026-03-29 03:00:00"],
  ["1999-12-31T23:59:59.999Z", "01.01.2000 00:59:59", "2000-01-01 00:59:59"],
])("%s is written as local time in Berlin, in German and in English", (at, german, english) => {
  const zone = "Europe/Berlin";
  expect(createTimeWriter({ language: "de", zone })(new Date(at))).toBe(german);
  expect(createTimeWriter({ language: "en", zone })(new Date(at))).toBe(english);
});

test.each([
  ["UTC", "2026-11-22", "2026-11-22T23:59:00.000Z"],
  ["Europe/Berlin", "2026-11-22", "2026-11-22T22:59:00.000Z"],
  ["Europe/Berlin", "2026-07-01", "2026-07-01T21:59:00.000Z"],
  // The clocks are changed on this day, and on the next day.
  ["Europe/Berlin", "2026-03-29", "2026-03-29T21:59:00.000Z"],
  ["Europe/Berlin", "2026-03-28", "2026-03-28T22:59:00.000Z"],
  ["Europe/Berlin", "2026-10-25", "2026-10-25T22:59:00.000Z"],
  ["Asia/Kolkata", "2026-12-31", "2026-12-31T18:29:00.000Z"],
  ["America/Los_Angeles", "2026-02-28", "2026-03-01T07:59:00.000Z"],
  // At midnight these clocks go back by an hour: 23:59 comes twice.
  ["Asia/Beirut", "2026-10-24", "2026-10-24T21:59:00.000Z"],
  // This date was skipped.
  ["Pacific/Apia", "2011-12-30", "2011-12-31T09:59:00.000Z"],
])("%s: the last minute of %s", (zone, day, at) => {
  expect(lastMinuteOf(day, zone).toISOString()).toBe(at);
});

test.each([
  ["UTC", "2026-11-22T06:30", "2026-11-22T06:30:00.000Z"],
  ["Europe/Berlin", "2026-11-22T06:30", "2026-11-22T05:30:00.000Z"],
  ["Europe/Berlin", "2026-07-01T06:30:59", "2026-07-01T04:30:59.000Z"],
  ["Asia/Kolkata", "2031-01-02T03:04", "2031-01-01T21:34:00.000Z"],
  // These clocks skip 02:30, and show 02:30 twice.
  ["Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
  ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T01:30:00.000Z"],
])("%s: the clocks show %s", (zone, text, at) => {
  expect(momentAt(text, zone)?.toISOString()).toBe(at);
});

test.each(["", "2026-11-22T", "tomorrow", "2026-13-01T00:00", "2026-02-30T06:30"])("%j is not a time", (text) => {
  expect(momentAt(text, "Europe/Berlin")).toBeUndefined();
});
