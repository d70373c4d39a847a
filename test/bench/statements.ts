import pg from "pg";
import type { Database } from "../../db/client.ts";
import { sql, verbatim } from "../../db/sql.ts";
import { startEmbeddedPostgres } from "../../embedded-postgres/embedded-postgres.ts";
import { figure } from "./statistics.ts";
import { table } from "./table.ts";

const shown = 20;
const textLengthMax = 160;

/** Initializes the service's database cluster so that each start loads `pg_stat_statements`. */
export async function prepareStatements(dataDirectory: string): Promise<void> {
  const postgres = await startEmbeddedPostgres({
    dataDirectory,
    log: { info: () => undefined, error: () => undefined },
    searchPath: process.env["PATH"] ?? "",
  });
  try {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
    await client.query("alter system set pg_stat_statements.track_planning = on");
    await client.end();
  } finally {
    await postgres.stop();
  }
}

/** Starts counting statements, in the schema `bench`. */
export async function countStatements(db: Database): Promise<void> {
  await db.query(verbatim("create schema bench"));
  await db.query(verbatim("create extension pg_stat_statements schema bench"));
}

/** Returns the statements that have taken the most time since {@link countStatements}, as a table. */
export async function writeStatements(db: Database): Promise<string> {
  const rows = await db.query<{
    calls: number;
    plans: number;
    planning: number;
    total: number;
    mean: number;
    rows: number;
    query: string;
  }>(sql`
    select calls::double precision as calls, plans::double precision as plans, total_plan_time as planning,
           total_exec_time as total, mean_exec_time as mean, rows::double precision as rows, query
      from bench.pg_stat_statements
     order by total_exec_time + total_plan_time desc
     limit ${shown}::integer
  `);
  return table(
    ["calls", "ms in all", "ms each", "rows", "plans", "ms of planning", "statement"],
    rows.map(({ calls, plans, planning, total, mean, rows: found, query }) => [
      calls.toLocaleString("en-GB"),
      figure(total),
      figure(mean),
      found.toLocaleString("en-GB"),
      plans.toLocaleString("en-GB"),
      figure(planning),
      query.replaceAll("|", "\\|").replace(/\s+/g, " ").trim().slice(0, textLengthMax),
    ]),
  );
}
