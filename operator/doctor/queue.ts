import { once } from "node:events";
import { openQueuePool } from "../../db/client.ts";
import { createLog } from "../../runtime/log.ts";
import { openQueues } from "../../runtime/queues.ts";
import { openRedis } from "../../runtime/redis.ts";
import type { Context } from "../context.ts";
import { describeFailure } from "../failure.ts";
import { fails, passes, warns, type Check } from "./check.ts";

/** Whether the queues answer, and whether Redis keeps what it is given. */
export const checkQueue = (context: Context): Promise<Check[]> =>
  context.config.REDIS_URL === undefined ? checkQueueSchema(context) : checkRedis(context.config.REDIS_URL);

async function checkQueueSchema(context: Context): Promise<Check[]> {
  const pool = openQueuePool({
    url: await context.databaseUrl(),
    connectionsMax: 2,
    applicationName: "realmpass doctor",
  });
  const queues = openQueues({ kind: "postgres", pool }, createLog({ process: "operator", level: "silent" }));
  try {
    await queues.ping();
    return [passes("queue", "the queues in Postgres answer")];
  } catch (error) {
    return [fails("queue", describeFailure(error).message, "Run `npm run migrate`, or set REDIS_URL.")];
  } finally {
    await queues.close();
    await pool.end();
  }
}

const connectMs = 5_000;

async function checkRedis(url: string): Promise<Check[]> {
  let lost: Error | undefined;
  const redis = openRedis(url, "produce", (error) => (lost = error));
  try {
    await once(redis, "ready", { signal: AbortSignal.timeout(connectMs) });
    // INFO instead of CONFIG GET, which hosted Redis often refuses.
    const info = parseInfo(await redis.info());
    return [
      passes("queue", `Redis ${info.get("redis_version") ?? ""} answers`),
      checkEviction(info.get("maxmemory_policy")),
      checkPersistence(info.get("aof_enabled")),
    ];
  } catch (error) {
    return [
      fails(
        "queue",
        `Redis does not answer (${(lost ?? (error as Error)).message})`,
        "Start Redis, or correct REDIS_URL.",
      ),
    ];
  } finally {
    redis.disconnect();
  }
}

function checkEviction(policy: string | undefined): Check {
  return policy === "noeviction"
    ? passes("redis-eviction", "Redis keeps what it is given")
    : warns(
        "redis-eviction",
        `Redis may throw queued work away when its memory is full (maxmemory-policy ${policy ?? "unknown"})`,
        "Set `maxmemory-policy noeviction` in Redis.",
      );
}

function checkPersistence(enabled: string | undefined): Check {
  return enabled === "1"
    ? passes("redis-persistence", "Redis keeps an append-only file")
    : warns(
        "redis-persistence",
        "Redis forgets queued work when it restarts; the sweep finds it again, later",
        "Set `appendonly yes` in Redis.",
      );
}

const parseInfo = (info: string): Map<string, string> =>
  new Map(info.split(/\r?\n/).flatMap((line) => (line.includes(":") ? [splitOnce(line)] : [])));

const splitOnce = (line: string): [string, string] => {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1)];
};
