import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ProcessKind } from "../../../domain/process.ts";
import { systemClock } from "../../../runtime/clock.ts";

/** Prometheus with the rules of deploy/prometheus: the metrics that it reads, and the alerts that follow from them. */

const rulesPath = resolve("deploy/prometheus/rules.yml");
const rules = readFileSync(rulesPath, "utf8");
const alertNames = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
const watched = new Set(rules.match(/realmpass_\w+/g));

/** A process that scrape.yml names. */
export interface Target {
  process: ProcessKind;
  port: number;
}

/** All targets at one time. */
export interface Scrape {
  atSeconds: number;
  /** By name and labels. */
  series: ReadonlyMap<string, Sample>;
}

interface Sample {
  value: number;
  /** `instant`: seconds since 1970. */
  kind: "gauge" | "counter" | "instant";
}

/** Reads the metrics of all targets, as Prometheus does; `up` is 0 for a target that does not respond. */
export async function scrape(targets: readonly Target[]): Promise<Scrape> {
  const atSeconds = systemClock.now().getTime() / 1_000;
  const read = await Promise.all(
    targets.map(async ({ process, port }) => {
      const instance = `127.0.0.1:${port}`;
      const labels = `job="realmpass",process="${process}",instance="${instance}"`;
      const text = await fetch(`http://${instance}/metrics`, { signal: AbortSignal.timeout(10_000) }).then(
        (answer) => answer.text(),
        () => undefined,
      );
      return samplesOf(text === undefined ? "up 0" : `up 1\n${text}`, labels);
    }),
  );
  return { atSeconds, series: new Map(read.flat()) };
}

/** Parses the lines of Prometheus' text format that the rules use, and adds the labels of the target. */
export function samplesOf(text: string, labels: string): [series: string, Sample][] {
  const instants = new Set([...text.matchAll(/^# HELP (\w+) .*seconds since 1970/gm)].map(([, name]) => name!));
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].flatMap(
    ([, name = "", own, number]): [string, Sample][] => {
      const value = Number(number);
      if (!(name === "up" || watched.has(name)) || !Number.isFinite(value)) return [];
      const kind = instants.has(name) ? "instant" : /_(total|count|sum|bucket)$/.test(name) ? "counter" : "gauge";
      return [[`${name}{${labels}${own === undefined ? "" : `,${own}`}}`, { value, kind }]];
    },
  );
}

/** The alerts that fire within a quarter of an hour, and within an hour. */
export interface Alerts {
  soon: string[];
  inAll: string[];
}

/**
 * When alerts are read, in minutes after the state begins. The last reading includes the alerts that wait for an hour.
 */
const [soonAt, lastAt] = [15, 61];

/**
 * Returns the alerts that `promtool test rules` sees fire if the state of `now` lasts for an hour: gauges stay,
 * counters continue to grow as since `before`, and instants keep their distance to the present.
 */
export async function alertsOf(before: Scrape, now: Scrape): Promise<Alerts> {
  const elapsed = now.atSeconds - before.atSeconds;
  const instants = [...now.series.values()].filter(({ value, kind }) => kind === "instant" && value !== 0);
  // Promtool's time begins at 0, which as an instant means "never": all instants have to be later.
  const age = Math.max(0, ...instants.map(({ value }) => now.atSeconds - value));
  const lead = Math.ceil(age / 60) + 1;
  const series = [...now.series].map(([name, { value, kind }]) => {
    const last = before.series.get(name)?.value ?? 0;
    // A counter that is lower than before has restarted.
    const grown = (value - (last > value ? 0 : last)) / elapsed;
    const first = kind === "instant" ? value - now.atSeconds + lead * 60 : value;
    const step = kind === "instant" ? 60 : kind === "counter" ? grown * 60 : 0;
    return { series: name, values: `_x${lead} ${first.toFixed(6)}+${step.toFixed(6)}x${lastAt}` };
  });
  const none = (minute: number) =>
    alertNames.map((alertname) => ({ eval_time: `${lead + minute}m`, alertname, exp_alerts: [] }));
  const fired = await failedTests({
    rule_files: [rulesPath],
    evaluation_interval: "1m",
    tests: [{ interval: "1m", input_series: series, alert_rule_test: [...none(soonAt), ...none(lastAt)] }],
  });
  const at = (minute: number): string[] =>
    fired.filter((each) => each.minute === lead + minute).map(({ alert }) => alert);
  return { soon: at(soonAt), inAll: at(lastAt) };
}

/** Returns the alerts in a file for `promtool test rules` that did not behave as expected there. */
async function failedTests(file: object): Promise<{ alert: string; minute: number }[]> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-alerts-"));
  try {
    const path = join(directory, "state.test.json");
    await writeFile(path, JSON.stringify(file));
    const output = await new Promise<string>((done) => {
      execFile("promtool", ["test", "rules", path], { maxBuffer: 1 << 26 }, (_, out, err) => {
        done(out + err);
      });
    });
    const failed = [...output.matchAll(/alertname: (\w+), time: (\w+),/g)];
    if (failed.length === 0 && !output.includes("SUCCESS")) throw new Error(`promtool: ${output}`);
    return failed.map(([, alert, time]) => ({ alert: alert!, minute: minutesOf(time!) }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const minutesIn: Readonly<Record<string, number>> = { w: 10_080, d: 1_440, h: 60, m: 1 };

/** Reads a duration as Prometheus writes it: `2d15m`. */
const minutesOf = (duration: string): number =>
  [...duration.matchAll(/(\d+)([wdhm])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * minutesIn[unit!]!, 0);
