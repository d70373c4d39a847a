import { loadFigures } from "../figures.ts";
import type { Measured } from "../load/index.ts";
import { until, type Service } from "../service.ts";
import { figure, median, withRange } from "../statistics.ts";
import { checkCertificates, createProfiles } from "./profiles.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const profiles = 300;
const concurrency = 32;
const rounds = 2;

const countOf = (quick: boolean): number => (quick ? profiles / 10 : profiles);

/** RSA keys are made in advance, while there is nothing else to do. */
export const rsa: Scenario = {
  title: "RSA-2048 from a filled pool",
  about:
    `${profiles} profiles at concurrency ${concurrency}, with P-256 keys and with RSA keys from a pool of ${profiles}, in turn; ` +
    `the pool is full before each round. The pool is filled again meanwhile, and so the CPU time includes keys for later. Medians of ${rounds} rounds.`,
  columns: ["queue", "key", "profiles/s", "p50 ms", "p95 ms", "CPU µs each", "speed beside P-256", "goal"],
  env: (quick) => ({ REALMPASS_RSA_KEY_POOL: String(countOf(quick)) }),

  async run(run) {
    const { service, quick, once } = run;
    const count = countOf(quick);
    await filled(service, count);
    const warmUp = count * 5;
    await createProfiles(run, { count: warmUp, concurrency });
    let expected = warmUp;

    const results = { p256: [] as Measured[], rsa: [] as Measured[] };
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      await filled(service, count);
      results.p256.push(await createProfiles(run, { count, concurrency }));
      results.rsa.push(await createProfiles(run, { count, concurrency, keyType: "rsa-2048" }));
      expected += 2 * count;
    }
    await checkCertificates(run, expected);

    const speeds = results.rsa.map(
      (each, round) => (100 * each.perSecond) / (results.p256[round]?.perSecond ?? Number.NaN),
    );
    return {
      rows: [
        rowOf(service, "P-256", results.p256, ["", ""]),
        rowOf(service, "RSA-2048", results.rsa, [`${withRange(speeds)} %`, "≥ 75 %"]),
      ],
      figures: [...loadFigures("P-256", results.p256), ...loadFigures("RSA-2048", results.rsa)],
    };
  },
};

const filled = (service: Service, count: number): Promise<void> =>
  until(`${count} RSA keys`, 15 + count * 2, async () => (await service.rsaKeysReady()) >= count);

function rowOf({ backend }: Service, key: string, results: readonly Measured[], last: string[]): string[] {
  const of = (pick: (result: Measured) => number): string => figure(median(results.map(pick)));
  const speeds = withRange(results.map(({ perSecond }) => perSecond));
  return [
    backendNames[backend],
    key,
    speeds,
    of(({ p50 }) => p50),
    of(({ p95 }) => p95),
    of(({ cpuUs }) => cpuUs),
    ...last,
  ];
}
