/** The value below which the given part of the sorted values lies. */
export function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values.toSorted((a, b) => a - b), 0.5);

/** A figure for people: three digits at least, none after the point where it has three before it. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** The median of some rounds, with the lowest and the highest when they are worth telling apart. */
export function withRange(values: readonly number[]): string {
  if (values.length < 2) return figure(median(values));
  return `${figure(median(values))} (${figure(Math.min(...values))}–${figure(Math.max(...values))})`;
}
