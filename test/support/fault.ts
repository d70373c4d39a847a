import pg from "pg";
import { describe, expect, test, type TestContext } from "vitest";
import { openQueuePool } from "../../db/client.ts";
import type { Sql } from "../../db/sql.ts";
import { openQueues, type QueueBackend } from "../../runtime/queues.ts";
import { eventually } from "./eventually.ts";
import { startService, type RunningService } from "./service.ts";
import { describeWithTool } from "./tools.ts";
import { silentLog } from "./worker.ts";

/** Stopping processes of the service at a point between two steps, from outside. */

type Process = "api" | "worker";

/** Something in Postgres that a test keeps from the service, so that a process stops before a step. */
export interface Hold {
  /** Resolves when a process waits for it, in a statement that contains `text`. */
  reached(by: Process, text?: string): Promise<void>;
  /** Ends the connections that wait, as if what they wait with had never been sent. */
  drop(): Promise<void>;
  /** Lets go: what still waits is carried out, also for a process that is dead by now. */
  release(): Promise<void>;
}

/** Takes locks with a statement and keeps them until they are released. */
export async function hold({ databaseUrl }: Pick<RunningService, "databaseUrl">, { text, values }: Sql): Promise<Hold> {
  const holder = await connected(databaseUrl);
  const watcher = await connected(databaseUrl);
  const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
  await holder.query("begin");
  await holder.query(text, [...values]);
  const blocked = async () => {
    const answer = await watcher.query<{ pid: number; name: string; query: string }>(
      `select pid, application_name as name, query from pg_stat_activity where $1 = any(pg_blocking_pids(pid))`,
      [rows[0]?.pid],
    );
    return answer.rows;
  };

  return {
    async reached(by, part = "") {
      await eventually(
        async () => {
          const waiting = (await blocked()).filter(({ name }) => name === `realmpass ${by}`);
          expect(waiting.map(({ query }) => query).join("\n")).toContain(part);
          expect(waiting.length).toBeGreaterThan(0);
        },
        { withinMs: 40_000, everyMs: 5 },
      );
    },
    async drop() {
      await eventually(async () => {
        const waiting = await blocked();
        await watcher.query("select pg_terminate_backend(pid) from unnest($1::integer[]) as pid", [
          waiting.map(({ pid }) => pid),
        ]);
        expect(waiting).toEqual([]);
      });
    },
    async release() {
      await holder.query("rollback");
      await Promise.all([holder.end(), watcher.end()]);
    },
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** How many jobs each queue has, waiting and running. */
export async function queueDepths({ databaseUrl, redisUrl }: RunningService): Promise<Record<string, number>> {
  const pool = openQueuePool({ url: databaseUrl, connectionsMax: 1, applicationName: "realmpass test" });
  const backend: QueueBackend =
    redisUrl === undefined ? { kind: "postgres", pool } : { kind: "redis", url: redisUrl };
  const queues = openQueues(backend, silentLog);
  try {
    return await queues.depth();
  } finally {
    await queues.close();
    await pool.end();
  }
}

/** A test that has the service to itself and runs beside others: most of its time it waits. */
export const faultTest =
  (kind: QueueBackend["kind"]) =>
  (name: string, run: (service: RunningService, context: TestContext) => Promise<void>): void => {
    test.concurrent(
      name,
      async (context) => {
        const service = await startService({
          kind,
          atEnd: (stop) => {
            context.onTestFinished(stop, 30_000);
          },
        });
        await run(service, context);
      },
      180_000,
    );
  };

/** The same tests with either queue backend. */
export function onBothBackends(tests: (kind: QueueBackend["kind"]) => void): void {
  describe("on Postgres", () => {
    tests("postgres");
  });
  describeWithTool("redis", "on Redis", () => {
    tests("redis");
  });
}
