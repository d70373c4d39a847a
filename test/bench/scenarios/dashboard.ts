import { setTimeout as delay } from "node:timers/promises";
import { endpoints } from "../../../api/endpoints.ts";
import { overviewAgeSecondsMax } from "../../../api/resources/overview/count-overview.ts";
import { sql } from "../../../db/sql.ts";
import { cpuBetween, cpuTotal } from "../cpu.ts";
import { figureOf, type Figure } from "../figures.ts";
import { openConnection } from "../load/connection.ts";
import { largeRealm, seedRealm, smallerRealm } from "../seed.ts";
import type { Service } from "../service.ts";
import { figure, percentile } from "../statistics.ts";
import type { Scenario } from "./scenario.ts";

const requests = 20;
const goalMs = 200;
const servers = 8;

/** Measures all requests of the dashboard. No response comes from numbers cached for the previous request. */
export const dashboard: Scenario = {
  title: "The dashboard of a large realm",
  about: `${largeRealm.profiles.toLocaleString("en-GB")} profiles, and 35 days of answers to ${servers} RADIUS servers: ${requests} requests of each kind, so far apart that each is computed.`,
  columns: ["question", "p50 ms", "p95 ms", "CPU ms each", "goal"],
  keptOnly: { columns: ["p50 ms", "CPU ms each"] },
  backends: ["postgres"],
  env: () => ({}),

  async run({ service, quick, once, cleanup }) {
    await seedRealm(service.db, service.realmId, quick ? smallerRealm : largeRealm);
    await seedActivity(service);
    const asked = pathsOfDashboard().map((path) => ({ path, latencies: [] as number[], cpuUs: 0 }));
    for (let round = 0; round <= (once ? 1 : requests); round++) {
      const connection = await openConnection(service.port);
      const closed = cleanup.add(() => {
        connection.close();
        return Promise.resolve();
      });
      for (const each of asked) {
        const before = service.cpu();
        const askedAt = performance.now();
        const { status, body } = await connection.ask(
          Buffer.from(
            `GET ${each.path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${service.token}\r\n\r\n`,
          ),
        );
        const ms = performance.now() - askedAt;
        if (status !== 200) throw new Error(`${each.path} was answered ${status}: ${body.slice(0, 300)}`);
        // Skips the first round: its reads fill the caches of later rounds.
        if (round === 0) continue;
        each.latencies.push(ms);
        each.cpuUs += cpuTotal(cpuBetween(before, service.cpu()));
      }
      await closed();
      await delay((overviewAgeSecondsMax + 1) * 1_000);
    }
    const figures: Figure[] = [];
    const rows = asked.map(({ path, latencies, cpuUs }) => {
      const sorted = latencies.toSorted((a, b) => a - b);
      const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
      figures.push(
        figureOf(path, "p50 ms", [p50], (ms) => ms),
        figureOf(path, "p95 ms", [p95], (ms) => ms),
        figureOf(path, "CPU ms each", [cpuUs], (us) => us / 1_000 / sorted.length),
      );
      return [`\`${path}\``, figure(p50), figure(p95), figure(cpuUs / 1_000 / sorted.length), `p95 < ${goalMs} ms`];
    });
    return { rows, figures };
  },
};

/** Returns the paths of a realm's numbers, each over its longest period. */
const pathsOfDashboard = (): string[] =>
  endpoints
    .map(({ path }) => path)
    .filter((path) => path.startsWith("/api/overview"))
    .map((path) => (path === "/api/overview" ? `${path}?period=30d` : path));

/** Records the counts of OCSP answers of 35 days. */
async function seedActivity({ db, realmId }: Service): Promise<void> {
  await db.query(sql`
    insert into status_counts (realm_id, hour, address, good, refused, last_at)
    select ${realmId}, date_trunc('hour', now()) - n * interval '1 hour', ('192.0.2.' || server)::inet, 500 + n, n % 7,
           date_trunc('hour', now()) - n * interval '1 hour' + interval '59 minutes'
      from generate_series(0, 35 * 24) n, generate_series(1, ${servers}::integer) server
  `);
  await db.query(sql`analyze status_counts`);
}
