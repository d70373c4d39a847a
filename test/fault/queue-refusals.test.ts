import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { beforeAll, expect, test } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { givenUser } from "../support/given/issuing.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { eventually } from "../support/run/eventually.ts";
import { describeWithTool } from "../support/run/tools.ts";
import { startBreakableRedis, type BreakableRedis } from "../support/service/fault-services.ts";
import { startService, type RunningService } from "../support/service/service.ts";

const [, line = ""] = /^user realmpass on >PASSWORD (.+)$/m.exec(readFileSync("docs/production.md", "utf8")) ?? [];
/** The permissions of the Redis user in docs/production.md. */
const documented = line.split(" ");
/** The documented permissions without INFO, which docs/production.md calls optional. */
const permitted = documented.filter((rule) => rule !== "+info");

describeWithTool("redis-server", "a Redis that refuses commands", () => {
  let server: BreakableRedis;
  let redis: Redis;
  let service: RunningService;

  const login = async (...rules: string[]): Promise<void> => {
    await redis.call("ACL", "SETUSER", "limited", "reset", "on", ">right", ...rules);
    await redis.call("ACL", "SAVE");
  };

  beforeAll(async () => {
    server = await startBreakableRedis();
    redis = new Redis(server.url, { enableReadyCheck: false });
    atEndOfFile(async () => {
      redis.disconnect();
      await server.stop();
    });
    await login(...permitted);
    const url = new URL(server.url);
    [url.username, url.password] = ["limited", "right"];
    service = await startService({ kind: "redis", redisUrl: url.href, atEnd: atEndOfFile });
  });

  const issueTo = async (userId: string, { wait = 60 } = {}): Promise<number> => {
    const wanted = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
    const prefer = `wait=${wait}`;
    return (await service.call("POST", `/api/user/${userId}/profiles/laptop`, wanted, { prefer })).status;
  };
  const issue = async (): Promise<number> => issueTo(await givenUser(service.owner, service.realmId));

  /** Returns how many commands Redis has refused. */
  const refusals = async (): Promise<number> =>
    [...(await redis.info("errorstats")).matchAll(/count=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);

  const activeProfiles = async (userId: string): Promise<number> =>
    only(
      await service.owner.query<{ count: number }>(
        sql`select count(*)::integer as count from certificates where user_id = ${userId} and revoked_at is null`,
      ),
    ).count;

  let restore: () => Promise<void>;

  const tasks = async (): Promise<number> => (await redis.keys("bull:issuance:*")).length;

  const lastBeat = async (): Promise<number> =>
    only(
      await service.owner.query<{ at: Date }>(sql`select seen_at as at from processes where kind = 'worker'`),
    ).at.getTime();

  /** Waits for two further heartbeats of the worker; returns how many commands Redis refused in between. */
  async function refusedBetweenBeats(): Promise<number> {
    const before = await refusals();
    for (let beats = 0; beats < 2; beats++) {
      const last = await lastBeat();
      await eventually(async () => {
        expect(await lastBeat()).toBeGreaterThan(last);
      });
    }
    return (await refusals()) - before;
  }

  test("control: with every permission but INFO the service issues, and the worker stops when asked", async () => {
    expect(documented).toHaveLength(permitted.length + 1);
    expect(await issue()).toBe(200);
    expect(await tasks()).toBeGreaterThan(0);
    expect(await service.logs()).not.toContain('"event":"queue.error"');

    const [worker] = service.workers;
    const ended = new Promise((resolve) => worker!.once("exit", resolve));
    worker!.kill("SIGTERM");
    expect(await ended).toBe(0);
    service.workers.length = 0;
    await service.startWorker();
  });

  test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ["no permission (NOPERM)", () => login("allkeys", "+@connection"), () => login(...permitted)],
    ["no permission for its keys (NOPERM)", () => login("~other", "+@all"), () => login(...documented)],
    ["READONLY", () => redis.call("REPLICAOF", "127.0.0.1", "1"), () => redis.call("REPLICAOF", "NO", "ONE")],
    ["OOM", () => redis.config("SET", "maxmemory", "1"), () => redis.config("SET", "maxmemory", "0")],
    ["MISCONF", async () => (restore = await server.failSnapshots()), () => restore()],
    ["LOADING", async () => (restore = await server.loadSlowly()), () => restore()],
  ])(
    "%s: the worker continues without Redis, retries at intervals, and uses Redis once permitted",
    async (_, refuse, permit) => {
      const userId = await givenUser(service.owner, service.realmId);
      expect(await issueTo(userId)).toBe(200);
      await refuse();
      try {
        // There are a few refusals for each queue, from an api and a worker; without a pause there would be tens of
        // thousands.
        const refused = await refusedBetweenBeats();
        expect(refused).toBeGreaterThan(0);
        expect(refused).toBeLessThan(500);
        // 9 seconds is less than the worker needs to notice a lost task.
        expect(await issueTo(userId, { wait: 9 })).toBe(200);
        const { body } = await service.call("POST", "/api/jobs/offboarding?confirmTotal=1", {
          users: [{ userID: userId }],
        });
        await eventually(
          async () => {
            expect(await service.call("GET", `/api/jobs/${(body.data as { id: string }).id}`)).toMatchObject({
              body: { data: { state: "completed", changed: 1 } },
            });
          },
          { withinMs: 60_000 },
        );
        expect(await activeProfiles(userId)).toBe(0);
      } finally {
        await permit();
      }
      expect(await issue()).toBe(200);
      await eventually(async () => {
        const before = await refusals();
        expect(await issue()).toBe(200);
        expect(await refusals()).toBe(before);
      });
    },
  );

  test.each<[string, () => Promise<unknown>]>([
    ["no permission", () => login("allkeys", "+@connection")],
    ["a wrong password (WRONGPASS)", () => redis.call("ACL", "SETUSER", "limited", "resetpass", ">other")],
  ])("%s from the start: the worker stays alive, and stops when asked", async (_, refuse) => {
    await refuse();
    const worker = await service.startWorker();
    const before = await refusals();
    await eventually(
      async () => {
        const rows = await service.owner.query<{ at: Date; started: Date }>(
          sql`select seen_at as at, started_at as started from processes where kind = 'worker' and pid = ${worker.pid ?? 0}`,
        );
        expect(rows[0]!.at.getTime()).toBeGreaterThan(rows[0]!.started.getTime() + 5_000);
      },
      { withinMs: 60_000 },
    );
    expect((await refusals()) - before).toBeLessThan(500);
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.kill("SIGTERM");
    expect(await ended).toBe(0);
    await login(...permitted);
  });
});
