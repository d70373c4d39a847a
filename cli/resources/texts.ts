/** Formats a time from the service to the minute, in UTC; the JSON output contains the full time. */
export const time = (text: string | null): string => (text === null ? "" : `${text.slice(0, 16).replace("T", " ")}Z`);

/** Formats 6210 as 6,210. */
export const number = (count: number): string => count.toLocaleString("en-US");

/** Returns "1 profile" or "2 profiles". */
export const counted = (count: number, thing: string): string =>
  `${number(count)} ${count === 1 ? thing : thing === "person" ? "people" : `${thing}s`}`;
