/** Returns the percentile: the given fraction of the sorted values is below it. */
export function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Returns the middle value; for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
}

/** Returns how much y grows for each 1 of x: the slope of the least-squares line. */
export function slope(points: readonly { x: number; y: number }[]): number {
  const mean = (pick: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [middleX, middleY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const along = points.reduce((sum, { x, y }) => sum + (x - middleX) * (y - middleY), 0);
  return along / points.reduce((sum, { x }) => sum + (x - middleX) ** 2, 0);
}

/** Formats a figure for people: at least three significant digits, and no decimals from 100 up. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Returns the median of the values; with two or more values also the lowest and the highest. */
export function withRange(values: readonly number[]): string {
  if (values.length < 2) return figure(median(values));
  return `${figure(median(values))} (${figure(Math.min(...values))}–${figure(Math.max(...values))})`;
}
