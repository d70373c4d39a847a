import pg from "pg";
import { describe, expect, test, vi, type TestContext } from "vitest";
import { openQueuePool } from "../../../db/client.ts";
import { sql, verbatim, type Sql } from "../../../db/sql.ts";
import { openQueues, type QueueBackend } from "../../../runtime/queue/queues.ts";
import { eventually } from "../run/eventually.ts";
import { startService, type RunningService } from "./service.ts";
import { startTcpProxy } from "../run/tcp-proxy.ts";
import { describeWithTool } from "../run/tools.ts";
import { depthOf, silentLog } from "./worker.ts";

// Tests that wait most of the time can run at the same time.
vi.setConfig({ maxConcurrency: 8 });

/** Stops processes of the service between two steps, from outside. */

type Process = "api" | "worker";

/** A lock in Postgres that a test holds, so that a process stops before a step. */
export interface Hold {
  /** Resolves when a process waits for the lock, in a statement that contains `text`. */
  reached(by: Process, text?: string): Promise<void>;
  /** Ends the waiting connections, as if their statements had never been sent. */
  drop(): Promise<void>;
  /** Releases the lock: waiting statements run, even those of a process that has died. */
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
    // pg_blocking_pids() locks the server's whole lock table, so it is called only for processes that wait for a lock.
    const answer = await watcher.query<{ pid: number; name: string; query: string }>(
      `select pid, application_name as name, query
         from pg_stat_activity
        where case when wait_event_type = 'Lock' then $1 = any(pg_blocking_pids(pid)) end`,
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
        { everyMs: 5 },
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

/** Stops a process before it updates a row whose `new` and `old` meet `condition`. */
export async function holdWhere(
  service: RunningService,
  condition: string,
  { table = "jobs" }: { table?: "jobs" | "job_rows" | "hand_overs" } = {},
): Promise<Hold & { gone(): Promise<void> }> {
  await service.owner.query(
    verbatim(`
      create function stop_there() returns trigger language plpgsql as $$
      begin if ${condition} then perform pg_advisory_xact_lock(4242); end if; return new; end $$`),
  );
  await service.owner.query(
    verbatim(`create trigger stop_there before update on ${table} for each row execute function stop_there()`),
  );
  const point = await hold(service, sql`select pg_advisory_xact_lock(4242)`);
  return {
    ...point,
    /** Drops the waiting statement, so that it never runs, and removes the lock. */
    async gone() {
      await point.drop();
      await point.release();
      await service.owner.query(sql`drop function stop_there() cascade`);
    },
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/**
 * Keeps the api's tasks from reaching the queue. On Redis, starts another api, which later calls use; `committed`
 * checks that this api has reached the point before the queue.
 */
export async function holdEnqueuing(
  service: RunningService,
): Promise<{ reached(committed: () => Promise<void>): Promise<void>; release(): Promise<void> }> {
  if (service.redisUrl === undefined) {
    const adding = await hold(service, sql`lock table bullmq.job in share mode`);
    return {
      async reached(committed) {
        await adding.reached("api");
        await committed();
      },
      async release() {
        await adding.drop();
        await adding.release();
      },
    };
  }
  const target = new URL(service.redisUrl);
  const proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) });
  target.port = String(proxy.port);
  await service.startApi({ REDIS_URL: target.href });
  proxy.silence();
  return { reached: (committed) => eventually(committed), release: () => Promise.resolve() };
}

/** Returns how many tasks each queue has: waiting, running and delayed. */
export async function queueDepths({ databaseUrl, redisUrl }: RunningService): Promise<Record<string, number>> {
  const pool = openQueuePool({ url: databaseUrl, connectionsMax: 1, applicationName: "realmpass test" });
  const backend: QueueBackend = redisUrl === undefined ? { kind: "postgres", pool } : { kind: "redis", url: redisUrl };
  const queues = openQueues(backend, silentLog);
  try {
    return await depthOf(queues);
  } finally {
    await queues.close();
    await pool.end();
  }
}

/** A test that has the service to itself and runs at the same time as others, because it waits most of the time. */
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
        await useQuickKeys(service);
        await run(service, context);
      },
      180_000,
    );
  };

/** Makes the realm use keys that cost almost no time. */
export async function useQuickKeys({ owner }: Pick<RunningService, "owner">): Promise<void> {
  await owner.query(sql`update realms set key_types = '{"Linux": "ec-p256"}'`);
}

/** Runs the same tests with each queue backend. */
export function onBothBackends(tests: (kind: QueueBackend["kind"]) => void): void {
  describe.concurrent("with the queues", () => {
    describe("on Postgres", () => {
      tests("postgres");
    });
    describeWithTool("redis", "on Redis", () => {
      tests("redis");
    });
  });
}

/** Makes people of the realm; returns their ids. */
export async function givenUsers(
  { owner, realmId }: Pick<RunningService, "owner" | "realmId">,
  count: number,
  name = "person",
): Promise<string[]> {
  const rows = await owner.query<{ id: string }>(sql`
    insert into users (realm_id, pairwise_id, email, created_at)
    select ${realmId}, ${name}::text || '-' || i, '', now()
      from generate_series(1, ${count}::integer) as i
     order by i
    returning id
  `);
  return rows.map(({ id }) => id);
}

/** Makes this many profiles for each of these people, with random bytes in place of certificates. */
export async function givenProfiles(
  { owner, realmId, issuerId }: Pick<RunningService, "owner" | "realmId" | "issuerId">,
  userIds: readonly string[],
  each: number,
): Promise<void> {
  await owner.query(sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type, authable,
                              identity, certificate, spki_sha256, created_at, not_before, not_after)
    select ${realmId}, ${issuerId}, '1000000' || (u.id * 1000 + n), gen_random_uuid(), 'user', u.id,
           'laptop', 'Linux', false, u.id || '-' || n || '@realm.example', '\\x00', sha256((u.id || '-' || n)::bytea), now(),
           now(), now() + interval '1 year'
      from unnest(${userIds}::bigint[]) as u (id), generate_series(1, ${each}::integer) as n
  `);
}
