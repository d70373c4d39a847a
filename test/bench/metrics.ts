import { figure } from "./statistics.ts";

/** The metrics that each process serves. */
export type Metrics = Readonly<Record<string, string>>;

/** Returns the p99 of a process's event-loop delay since its metrics were last read, in milliseconds. */
export const eventLoopDelayMs = (text: string): number =>
  Number(/^realmpass_nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1] ?? Number.NaN) * 1000;

/** Returns a histogram's observations between two readings, by the value of its only label: the count and the mean. */
export function meansBetween(
  before: Metrics,
  after: Metrics,
  histogram: string,
): Map<string, { count: number; mean: number }> {
  const [earlier, later] = [totalsOf(before, histogram), totalsOf(after, histogram)];
  const found = new Map<string, { count: number; mean: number }>();
  for (const [label, { count, sum }] of later) {
    const { count: countBefore, sum: sumBefore } = earlier.get(label) ?? { count: 0, sum: 0 };
    const more = count - countBefore;
    if (more > 0) found.set(label, { count: more, mean: (sum - sumBefore) / more });
  }
  return found;
}

/** Returns `accept 3.20, claim 8.11`; empty if the service has no such histogram. */
export const writeMeans = (means: ReadonlyMap<string, { mean: number }>, unit = 1): string =>
  [...means].map(([label, { mean }]) => `${label} ${figure(mean * unit)}`).join(", ");

/** Returns count and sum of a histogram, by label, over all processes. */
function totalsOf(metrics: Metrics, histogram: string): Map<string, { count: number; sum: number }> {
  const totals = new Map<string, { count: number; sum: number }>();
  const line = new RegExp(`^${histogram}_(count|sum)\\{[^}]*="([^"]*)"\\} (\\S+)`, "gm");
  for (const text of Object.values(metrics)) {
    for (const [, what, label = "", value] of text.matchAll(line)) {
      const total = totals.get(label) ?? { count: 0, sum: 0 };
      if (what === "count") total.count += Number(value);
      else total.sum += Number(value);
      totals.set(label, total);
    }
  }
  return totals;
}
