const two = (value: number): string => String(value).padStart(2, "0");

/** A moment as a field of the type `datetime-local` has it: in the viewer's zone, to the minute. */
export const localTime = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

/** The moment that such a field says; undefined when it says none. */
export function instantOf(text: string): Date | undefined {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? undefined : at;
}

/** What the viewer's zone is called. */
export const viewersZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
