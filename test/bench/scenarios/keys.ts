import { deviceTypes, defaultKeyType, keyTypes, type KeyType } from "../../../domain/certificate/device.ts";
import { loadCells, loadColumns } from "../columns.ts";
import { loadFigures } from "../figures.ts";
import type { Measured } from "../load/index.ts";
import { median } from "../statistics.ts";
import { checkCertificates, createProfiles } from "./profiles/profiles.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const concurrency = 4;
const rounds = 3;

/** The number of profiles of each key type: enough to measure for some seconds. */
const profilesOf: Record<KeyType, number> = { "ec-p256": 1_000, "rsa-2048": 40, "rsa-3072": 20 };

/** Measures the cost of a profile with a key of each type, made on request. */
export const keys: Scenario = {
  title: "Profiles by key type",
  about: `Profiles as PKCS#12 with each key type in turn, at concurrency ${concurrency}, ${rounds} rounds; without a pool, so the CPU time includes each profile's key.`,
  columns: ["queue", "key", "default of", ...loadColumns({ times: "P-256" })],
  keptOnly: { columns: ["default of", "p50 ms", "p95 ms", "p99 ms"] },
  backends: ["redis"],
  env: () => ({ REALMPASS_RSA_KEY_POOL: "0" }),

  async run(run) {
    const { service, quick, once } = run;
    const results: Record<KeyType, Measured[]> = { "ec-p256": [], "rsa-2048": [], "rsa-3072": [] };
    let expected = 0;
    const create = async (keyType: KeyType): Promise<Measured> => {
      const count = Math.ceil(profilesOf[keyType] / (quick ? 5 : 1));
      const result = await createProfiles(run, { count, concurrency, keyType });
      expected += result.made;
      return result;
    };

    await create("ec-p256");
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      for (const keyType of keyTypes) results[keyType].push(await create(keyType));
    }
    await checkCertificates(run, expected);

    const baseUs = median(results["ec-p256"].map(({ cpuUs }) => cpuUs));
    return {
      rows: keyTypes.map((keyType) => [
        backendNames[service.backend],
        keyType,
        deviceTypes.filter((deviceType) => defaultKeyType[deviceType] === keyType).join(", "),
        ...loadCells(results[keyType], baseUs),
      ]),
      figures: keyTypes.flatMap((keyType) => loadFigures(keyType, results[keyType])),
    };
  },
};
