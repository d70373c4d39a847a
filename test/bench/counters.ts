import { setTimeout as delay } from "node:timers/promises";
import { only, type Database } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { figure } from "./statistics.ts";

/** Postgres's counters, for each operation. */
export interface Counters {
  commits: number;
  walFsyncs: number;
  walRecords: number;
  walBytes: number;
}

/** A connection that becomes idle reports its counts to Postgres within this time. */
const reportedWithinMs = 11_000;

const names: readonly (readonly [keyof Counters, string])[] = [
  ["commits", "commits"],
  ["walFsyncs", "WAL fsyncs"],
  ["walRecords", "WAL records"],
  ["walBytes", "WAL bytes"],
];

/** Returns the counters of one or more measurements: `4.98 / 0.43 commits, 3.03 / 0.24 WAL fsyncs, …`. */
export const writeCounters = (measured: readonly Counters[]): string =>
  names
    .map(([counter, name]) => {
      // Negative: while idle, Postgres did more work on its own, such as a vacuum.
      const cells = measured.map((each) => (each[counter] < 0 ? "–" : figure(each[counter])));
      return `${cells.join(" / ")} ${name}`;
    })
    .join(", ");

/**
 * Returns Postgres's counts while `happens` runs, less its counts while idle, divided by the number of operations.
 * Waits until Postgres has counted everything.
 */
export async function countEach(db: Database, happens: () => Promise<number>): Promise<Counters> {
  await delay(reportedWithinMs);
  const first = await readCounters(db);
  await delay(reportedWithinMs);
  const before = await readCounters(db);
  const startedAt = performance.now();
  const operations = await happens();
  await delay(reportedWithinMs);
  const after = await readCounters(db);
  const idleTimes = (performance.now() - startedAt) / reportedWithinMs;
  const each = (what: keyof Counters): number =>
    (after[what] - before[what] - (before[what] - first[what]) * idleTimes) / operations;
  return {
    commits: each("commits"),
    walFsyncs: each("walFsyncs"),
    walRecords: each("walRecords"),
    walBytes: each("walBytes"),
  };
}

const readCounters = async (db: Database): Promise<Counters> =>
  only(
    await db.query<Counters>(sql`
      select (select xact_commit::double precision from pg_stat_database where datname = current_database()) as commits,
             (select sum(fsyncs)::double precision from pg_stat_io where object = 'wal') as "walFsyncs",
             wal_records::double precision as "walRecords",
             wal_bytes::double precision as "walBytes"
        from pg_stat_wal
    `),
  );
