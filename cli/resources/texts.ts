/** Formats a time of the service to the minute, in UTC; the JSON has it in full. */
export const time = (text: string | null): string => (text === null ? "" : `${text.slice(0, 16).replace("T", " ")}Z`);

/** Formats 6210 as 6,210. */
export const number = (count: number): string => count.toLocaleString("en-US");

/** "1 profile", "2 profiles" */
export const counted = (count: number, thing: string): string =>
  `${number(count)} ${count === 1 ? thing : thing === "person" ? "people" : `${thing}s`}`;
