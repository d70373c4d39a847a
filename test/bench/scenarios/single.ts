import { loadFigures } from "../figures.ts";
import type { Measured } from "../load/index.ts";
import { figure, median, withRange } from "../statistics.ts";
import { checkCertificates, createProfiles } from "./profiles.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const requests = new Map([
  [1, 400],
  [8, 2_000],
  [32, 4_000],
]);
const rounds = 3;

const goals = {
  redis: new Map([
    [1, "p50 < 25 ms"],
    [32, "≥ 300/s"],
  ]),
  postgres: new Map([[32, "≥ 100/s"]]),
};

/** Single creations: somebody waits for each one. */
export const single: Scenario = {
  title: "Single profiles over HTTP",
  about:
    "`POST /api/user/{id}/profiles/{name}` for a P-256 profile as PKCS#12; every answer is the finished file. " +
    `Medians of ${rounds} interleaved rounds after a warm-up, lowest and highest in parentheses.`,
  columns: [
    "queue",
    "concurrency",
    "profiles/s",
    "p50 ms",
    "p95 ms",
    "p99 ms",
    "CPU µs each",
    "× floor",
    "api / worker / Postgres / Redis µs",
    "others' CPU",
    "goal",
  ],
  env: () => ({}),

  async run(run) {
    const scale = (count: number): number => Math.ceil(count / (run.quick ? 10 : 1));
    const warmUp = scale(3_000);
    await createProfiles(run, { count: warmUp, concurrency: 32 });
    let expected = warmUp;

    const measured = new Map<number, Measured[]>([...requests.keys()].map((concurrency) => [concurrency, []]));
    for (let round = 0; round < (run.once ? 1 : rounds); round++) {
      for (const [concurrency, count] of requests) {
        const result = await createProfiles(run, { count: scale(count), concurrency });
        measured.get(concurrency)?.push(result);
        expected += result.answers;
      }
    }
    await checkCertificates(run, expected);

    const { backend } = run.service;
    return {
      rows: [...measured].map(([concurrency, results]) => [
        backendNames[backend],
        String(concurrency),
        withRange(results.map(({ perSecond }) => perSecond)),
        ...profileColumns(results, run.floorUs),
        goals[backend].get(concurrency) ?? "",
      ]),
      figures: [...measured].flatMap(([concurrency, results]) => loadFigures(`concurrency ${concurrency}`, results)),
      remark: `${backendNames[backend]}: ${expected} answers 200, ${expected} distinct active certificates.`,
    };
  },
};

/** Latency, CPU time and where it went. */
function profileColumns(results: readonly Measured[], floorUs: number): string[] {
  const of = (pick: (result: Measured) => number): number => median(results.map(pick));
  const cpuUs = of((result) => result.cpuUs);
  const byPart = (["api", "worker", "Postgres", "Redis"] as const).map((part) => of((r) => r.cpuUsByPart[part]));
  return [
    figure(of(({ p50 }) => p50)),
    figure(of(({ p95 }) => p95)),
    figure(of(({ p99 }) => p99)),
    figure(cpuUs),
    figure(cpuUs / floorUs),
    byPart.map(figure).join(" / "),
    `${Math.round(of(({ others }) => others) * 100)} %`,
  ];
}
