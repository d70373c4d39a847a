import { loadCells, loadColumns } from "../../columns.ts";
import { loadFigures } from "../../figures.ts";
import type { Measured } from "../../load/index.ts";
import { until, type Service } from "../../service.ts";
import { figure, withRange } from "../../statistics.ts";
import { checkCertificates, createProfiles } from "./profiles.ts";
import { backendNames, type Scenario } from "../scenario.ts";

const profiles = 300;
const concurrency = 32;
const alone = 400;
const rounds = 2;

/** The number of keys: enough that the pool is not full at the first reading. */
const poolOf = (quick: boolean): number => (quick ? 100 : profiles);

/** Measures RSA keys that the worker makes in advance, while it is idle. */
export const rsa: Scenario = {
  title: "RSA-2048 from a filled pool",
  about: `${alone} P-256 profiles at concurrency 1 while a pool of ${profiles} RSA keys fills, and again when it is full. Then ${profiles} profiles at concurrency ${concurrency}, with P-256 and with RSA keys from the full pool, in turn, ${rounds} rounds.`,
  columns: ["queue", "key, concurrency", ...loadColumns(), "speed beside P-256", "goal"],
  keptOnly: { columns: ["p95 ms", "p99 ms", "CPU µs each"], backend: "postgres" },
  env: (quick) => ({ REALMPASS_RSA_KEY_POOL: String(poolOf(quick)) }),

  async run(run) {
    const { service, quick, once } = run;
    const scale = (count: number): number => count / (quick ? 10 : 1);
    const pool = poolOf(quick);
    let expected = 0;
    const create = async (order: Parameters<typeof createProfiles>[1]): Promise<Measured> => {
      const result = await createProfiles(run, order);
      expected += result.made;
      return result;
    };

    await create({ count: scale(200), concurrency: 1 });
    const filling = await create({ count: scale(alone), concurrency: 1 });
    const keysThen = await service.rsaKeysReady();
    await filled(service, pool);
    const full = await create({ count: scale(alone), concurrency: 1 });

    await create({ count: scale(profiles) * 5, concurrency });
    const results = { p256: [] as Measured[], rsa: [] as Measured[] };
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      const order = { count: scale(profiles), concurrency, first: () => filled(service, pool) };
      results.p256.push(await create(order));
      results.rsa.push(await create({ ...order, keyType: "rsa-2048" }));
    }
    await checkCertificates(run, expected);

    const name = backendNames[service.backend];
    const speeds = results.rsa.map(
      (each, round) => (100 * each.perSecond) / (results.p256[round]?.perSecond ?? Number.NaN),
    );
    return {
      rows: [
        [name, "P-256, 1, the pool is filled", ...loadCells([filling]), "", "p50 ≤ 1.3 × full pool"],
        [name, "P-256, 1, the pool is full", ...loadCells([full]), "", ""],
        [name, `P-256, ${concurrency}`, ...loadCells(results.p256), "", ""],
        [name, `RSA-2048, ${concurrency}`, ...loadCells(results.rsa), `${withRange(speeds)} %`, "≥ 75 %"],
      ],
      figures: [
        ...loadFigures("P-256, concurrency 1, the pool is filled", [filling]),
        ...loadFigures("P-256, concurrency 1, the pool is full", [full]),
        ...loadFigures("P-256", results.p256),
        ...loadFigures("RSA-2048", results.rsa),
      ],
      remark:
        `${name}: while the pool filled, p50 was ${figure(filling.p50 / full.p50)} of that with a full pool ` +
        `(${keysThen} of ${pool} keys at its end).`,
    };
  },
};

const filled = (service: Service, count: number): Promise<void> =>
  until(`${count} RSA keys`, 15 + count * 2, async () => (await service.rsaKeysReady()) >= count);
