const two = (value: number): string => String(value).padStart(2, "0");

/** Formats a moment for a `datetime-local` field: in the viewer's zone, to the minute. */
export const localTime = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

/** Parses the value of such a field; returns undefined if it is empty or invalid. */
export function instantOf(text: string): Date | undefined {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? undefined : at;
}

/** Returns the name of the viewer's time zone. */
export const viewersZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
