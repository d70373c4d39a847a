import { verbatim } from "../../../../db/sql.ts";
import { loadCells, loadColumns } from "../../columns.ts";
import { countEach, writeCounters, type Counters } from "../../counters.ts";
import { loadFigures } from "../../figures.ts";
import type { Measured } from "../../load/index.ts";
import { meansBetween, writeMeans } from "../../metrics.ts";
import { figure, median } from "../../statistics.ts";
import { checkCertificates, createProfiles } from "./profiles.ts";
import { backendNames, type Run, type Scenario } from "../scenario.ts";

const requests = new Map([
  [1, 400],
  [8, 2_000],
  [32, 4_000],
]);
const rounds = 3;
/** The concurrency that is measured both before and after Postgres analyzes the database. */
const full = 32;

const goals = {
  redis: new Map([
    [1, "≤ 30 × floor, p50 ≤ 5 ms"],
    [32, "≤ 8 × floor, ≥ 1,000/s"],
  ]),
  postgres: new Map([[32, "≤ 11 × floor"]]),
};

/** Measures single creations: a client waits for each profile. */
export const single: Scenario = {
  title: "Single profiles over HTTP",
  about: `\`POST /api/user/{id}/profiles/{name}\` for a P-256 profile as PKCS#12; ${rounds} interleaved rounds. The new database has no statistics yet (\`analyze\`).`,
  columns: ["queue", "concurrency", ...loadColumns({ times: "floor" }), "goal"],
  keptOnly: { columns: ["p95 ms", "p99 ms"] },
  env: () => ({}),

  async run(run) {
    const { backend } = run.service;
    const scale = (count: number): number => Math.ceil(count / (run.quick ? 10 : 1));
    let expected = 0;
    const create = async (concurrency: number, count: number): Promise<Measured & { made: number }> => {
      const result = await createProfiles(run, { count: scale(count), concurrency });
      expected += result.made;
      return result;
    };
    const countOf = (concurrency: number): number => requests.get(concurrency) ?? 0;
    const roundsOf = run.once ? 1 : rounds;

    await create(full, 3_000);
    const young: Measured[] = [];
    for (let round = 0; round < roundsOf; round++) young.push(await create(full, countOf(full)));
    await run.service.db.query(verbatim("analyze"));

    const measured = new Map<number, Measured[]>([...requests.keys()].map((concurrency) => [concurrency, []]));
    for (let round = 0; round < roundsOf; round++) {
      for (const [concurrency, count] of requests) measured.get(concurrency)?.push(await create(concurrency, count));
    }
    const counted = new Map<number, Counters>();
    for (const concurrency of [1, full]) {
      const happens = async (): Promise<number> => (await create(concurrency, countOf(concurrency))).made;
      counted.set(concurrency, await countEach(run.service.db, happens));
    }
    const steps = await stepsAtOne(run, () => create(1, countOf(1)));
    await checkCertificates(run, expected);

    const name = backendNames[backend];
    const cpuOf = (results: readonly Measured[]): number => median(results.map(({ cpuUs }) => cpuUs));
    const later = cpuOf(measured.get(full) ?? []) / cpuOf(young);
    return {
      rows: [
        [name, `${full}, new database`, ...loadCells(young, run.floorUs), ""],
        ...[...measured].map(([concurrency, results]) => [
          name,
          String(concurrency),
          ...loadCells(results, run.floorUs),
          goals[backend].get(concurrency) ?? "",
        ]),
      ],
      figures: [
        ...loadFigures(`concurrency ${full}, new database`, young),
        ...[...measured].flatMap(([concurrency, results]) => loadFigures(`concurrency ${concurrency}`, results)),
      ],
      remark: `${name}: after \`analyze\` a creation at concurrency ${full} cost ${figure(later)} of before (goal: 0.9 to 1.1).`,
      details:
        `${steps}Postgres at concurrency ${[...counted.keys()].join(" / ")}: ` +
        `${writeCounters([...counted.values()])} each.`,
    };
  },
};

/** Returns the mean time of each step, from the service's metrics; empty if the service reports no steps. */
async function stepsAtOne({ service }: Run, create: () => Promise<unknown>): Promise<string> {
  const before = await service.metrics();
  await create();
  const means = meansBetween(before, await service.metrics(), "realmpass_issuance_step_seconds");
  return means.size === 0 ? "" : `Steps at concurrency 1, mean ms: ${writeMeans(means, 1000)}. `;
}
