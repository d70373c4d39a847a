import { setTimeout as delay } from "node:timers/promises";
import { sql } from "../../../db/sql.ts";
import { parts, serviceParts, type Part, type ServicePart } from "../cpu.ts";
import { figureOf } from "../figures.ts";
import { measure } from "../load/index.ts";
import type { LoadOrder } from "../load/order.ts";
import { addClient, addUsers, type Service } from "../service.ts";
import { figure, median, slope } from "../statistics.ts";
import { addCertificates, encodeRequest } from "./ocsp.ts";
import { addProfiles } from "./offboarding.ts";
import { backendNames, type Run, type Scenario } from "./scenario.ts";

const operations = 200_000;
const perSecond = 800;
/** The share of the load that runs before memory is read, so that code is compiled and pools are filled. */
const warmUpPart = 0.1;
const lookEveryMs = 1_000;
const profilesEach = 10;
/** Time for work after the responses: timers end, connections become idle. */
const settleMs = 15_000;

type Share = Pick<LoadOrder, "method" | "paths" | "contains"> & Partial<LoadOrder>;

/** Finds memory that the service keeps but no longer needs. */
export const memory: Scenario = {
  title: "Memory",
  about: `${operations.toLocaleString("en-GB")} operations, ${perSecond} a second: 20 % single profiles, 35 % reads of a user, 10 % each client credentials, revocations and lists, 15 % OCSP through the API. Resident memory, without what processes share, includes garbage: the median of the last tenth of the readings, and the slope. Live memory remains in the main thread after a collection.`,
  columns: [
    ...["queue", "process", "resident before MB", "resident MB", "MB per 100,000 operations"],
    ...["live before MB", "live MB", "live MB per 100,000 operations", "goal"],
  ],
  keptOnly: { columns: ["resident before MB", "live before MB"], backend: "postgres" },
  env: () => ({ REALMPASS_RATE_LIMIT_OCSP: "1000000" }),

  async run(run) {
    const { service, quick } = run;
    const total = operations / (quick ? 20 : 1);
    await mixedLoad(run, total * warmUpPart);
    await delay(settleMs);
    const before = await liveMemory(service);

    const readings: Record<Part, number>[] = [];
    const finished = new AbortController();
    const load = mixedLoad(run, total).finally(() => {
      finished.abort();
    });
    load.catch(() => undefined);
    while (!finished.signal.aborted) {
      readings.push(service.memory());
      await delay(lookEveryMs);
    }
    await load;
    await delay(settleMs);
    const after = await liveMemory(service);

    const name = backendNames[service.backend];
    const tenth = Math.ceil(readings.length / 10);
    const found = parts
      .map((part) => {
        const megabytes = readings.map((reading) => reading[part] / 1e6);
        const points = megabytes.map((y, index) => ({ x: (index / readings.length) * (total / 100_000), y }));
        return {
          part,
          first: median(megabytes.slice(0, tenth)),
          last: median(megabytes.slice(-tenth)),
          growth: slope(points),
          before: before.get(part) ?? Number.NaN,
          after: after.get(part) ?? Number.NaN,
        };
      })
      .filter(({ last }) => last > 0);
    return {
      rows: found.map(({ part, first, last, growth, before, after }) => [
        name,
        part,
        ...[first, last, growth].map(figure),
        ...(after > 0 ? [before, after, ((after - before) / total) * 100_000].map(figure) : ["–", "–", "–"]),
        after > 0 ? "live: flat" : "flat",
      ]),
      figures: found.flatMap(({ part, growth, last, after }) => [
        figureOf(part, "last tenth MB", [last], (value) => value),
        figureOf(part, "MB per 100,000 operations", [growth], (value) => value),
        ...(after > 0 ? [figureOf(part, "live MB", [after], (value) => value)] : []),
      ]),
    };
  },
};

/** Returns the live memory of each part, in megabytes. */
async function liveMemory(service: Service): Promise<Map<Part, number>> {
  const read = async (part: ServicePart) => [part, (await service.liveMemory(part)) / 1e6] as const;
  return new Map(await Promise.all(serviceParts.map(read)));
}

/** Sends all kinds of requests in parallel and evenly, with one generator for each kind. */
async function mixedLoad(run: Run, total: number): Promise<void> {
  const { service, quick, cleanup } = run;
  const users = await addUsers(service, Math.ceil(total / 20));
  const { issuerId, issuer, serialNumbers } = await addCertificates(service);
  const bodies = serialNumbers.map((serialNumber) => encodeRequest(issuer, serialNumber, true).toString("base64"));
  const shares: [percent: number, share: Share][] = [
    [
      20,
      {
        method: "POST",
        paths: users.map((id) => `/api/user/${id}/profiles/laptop`),
        body: { format: "pkcs12", deviceType: "Windows" },
        contains: '"data":"MI',
      },
    ],
    [35, { method: "GET", paths: users.map((id) => `/api/user/${id}`), contains: '"userID":"' }],
    [
      10,
      {
        method: "POST",
        paths: ["/oauth/token"],
        form: { grant_type: "client_credentials", ...addClient(service) },
        contains: '"access_token":"',
      },
    ],
    [10, { method: "DELETE", paths: await addRevocable(service, Math.ceil(total / 10)), contains: '"data":true' }],
    [10, { method: "GET", paths: ["/api/profiles"], body: { limit: 20 }, contains: '"serial":"' }],
    [
      15,
      {
        method: "POST",
        paths: [`/ocsp/${issuerId}`],
        octets: { type: "application/ocsp-request", bodies },
        contains: "OCSP responder",
      },
    ],
  ];
  await Promise.all(
    shares.map(([percent, share]) => {
      const rate = ((quick ? perSecond / 4 : perSecond) * percent) / 100;
      const count = Math.floor((total * percent) / 100);
      return measure(service, { ...share, count, rate, concurrency: 32, secondsMax: 1_200 }, cleanup);
    }),
  );
}

/** Makes the given number of profiles for later revocation; returns their paths. */
async function addRevocable(service: Service, count: number): Promise<string[]> {
  const userIds = await addUsers(service, Math.ceil(count / profilesEach));
  await addProfiles(service, userIds, profilesEach);
  const profiles = await service.db.query<{ serialNumber: string }>(sql`
    select serial_number as "serialNumber" from certificates where user_id = any(${userIds}::bigint[]) limit ${count}
  `);
  return profiles.map(({ serialNumber }) => `/api/profiles/${serialNumber}`);
}
