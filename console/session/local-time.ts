import { createTimeWriter, momentAt } from "../../domain/time-zone.ts";

let zone = "UTC";

/** Sets the time zone for all times in the console: the realm's zone. */
export const setZone = (name: string): void => {
  zone = name;
};

/** Returns the time zone of all times in the console. */
export const readersZone = (): string => zone;

/** Formats a time for a `datetime-local` field: in the realm's zone, to the minute. */
export const localTime = (at: Date): string =>
  createTimeWriter({ language: "en", zone })(at).slice(0, 16).replace(" ", "T");

/** Parses the value of a `datetime-local` field; returns undefined if it is empty or invalid. */
export const instantOf = (text: string): Date | undefined => momentAt(text, zone);

/** Returns the name of the browser's time zone, which the console may propose for the realm. */
export const browsersZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
