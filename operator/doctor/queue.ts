import { once } from "node:events";
import type { Redis } from "ioredis";
import type { Database } from "../../db/client.ts";
import { countTasks, lookForForeign } from "../../db/queue-schema.ts";
import { clusterRefused, isCluster, openRedis, refusalOf, tryWrite } from "../../runtime/queue/redis.ts";
import { describeFailure } from "../context/failure.ts";
import { fails, newerRemedy, passes, warns, type Check } from "./check.ts";
import { isAhead } from "./database.ts";
import { migrateRemedy, restart, startServerRemedy, type Way } from "../context/way.ts";

/** Checks that only the owner can have put code into the queue's schema. Reads only the system's catalogs. */
export async function checkQueueSchema(db: Database, way: Way): Promise<Check> {
  const remedy = `${migrateRemedy(way)} It recreates the schema, and no work is lost.`;
  try {
    const found = await lookForForeign(db);
    if (found.length === 0) return passes("queue-schema", "everything in the queue's schema belongs to the owner");
    const message = `the queue's schema can contain code of others: ${found.join(", ")}`;
    return fails("queue-schema", message, (await isAhead(db)) ? newerRemedy : remedy);
  } catch (error) {
    return fails("queue-schema", describeFailure(error).message, remedy);
  }
}

/**
 * Checks that the queues in Postgres exist. Do not call it if {@link checkQueueSchema} has failed: no code of the
 * schema may run then.
 */
export async function checkQueueInPostgres(db: Database, way: Way): Promise<Check> {
  try {
    return passes("queue", `the queues in Postgres are there, with ${await countTasks(db)} tasks`);
  } catch (error) {
    return fails("queue", describeFailure(error).message, `${migrateRemedy(way)} Or set REDIS_URL.`);
  }
}

const connectMs = 5_000;

/** Checks that Redis responds, is not a cluster, accepts tasks, keeps its data and requires a password. */
export async function checkRedis(url: string, way: Way): Promise<Check[]> {
  let lost: Error | undefined;
  const redis = openRedis(url, "produce", (error) => (lost = error));
  try {
    await once(redis, "ready", { signal: AbortSignal.timeout(connectMs) });
    // Uses INFO instead of CONFIG GET, which hosted Redis often refuses.
    const answered = await redis.info().catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith("NOPERM")) return undefined;
      throw error;
    });
    if (answered === undefined)
      return [await checkTakes(redis, "Redis"), unknownSettings, checkPassword(new URL(url), way)];
    const info = parseInfo(answered);
    if (await isCluster(redis))
      return [fails("queue", clusterRefused, "Set REDIS_URL to a Redis that is not a cluster.")];
    return [
      await checkTakes(redis, `Redis ${info.get("redis_version") ?? ""}`),
      checkEviction(info.get("maxmemory_policy")),
      checkPersistence(info.get("aof_enabled")),
      checkPassword(new URL(url), way),
    ];
  } catch (error) {
    return [
      fails(
        "queue",
        `Redis does not answer (${(lost ?? (error as Error)).message})`,
        startServerRemedy(way, "Redis", "correct REDIS_URL"),
      ),
    ];
  } finally {
    redis.disconnect();
  }
}

/** Checks that Redis accepts tasks; rejects if it does not respond. */
async function checkTakes(redis: Redis, name: string): Promise<Check> {
  try {
    await tryWrite(redis);
    return passes("queue", `${name} answers, and takes tasks`);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return fails("queue", `Redis takes no tasks: ${(error as Error).message}`, remedyOf(refusal));
  }
}

const remedies: Readonly<Record<string, string>> = {
  READONLY: "It is a replica: let REDIS_URL lead to the primary, or promote it.",
  OOM: "Its memory is full: see what else it holds, and raise `maxmemory`.",
  MISCONF: "Its last snapshot failed: see its log, and make room on its disk.",
  NOPERM: "Give its login the permissions of docs/production.md.",
  LOADING: "It reads its data after a start: wait.",
};

const remedyOf = (refusal: string): string => remedies[refusal] ?? "See Redis's log.";

const unknownSettings = warns(
  "redis-eviction",
  "whether Redis keeps its data is unknown: its login may not run INFO",
  "Let the login run INFO (`+info`).",
);

function checkEviction(policy: string | undefined): Check {
  return policy === "noeviction"
    ? passes("redis-eviction", "Redis keeps its data")
    : warns(
        "redis-eviction",
        `Redis may evict queued work when its memory is full (maxmemory-policy ${policy ?? "unknown"})`,
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

/**
 * Checks that the URL of Redis has a password, unless Redis is on this machine: otherwise anyone on its network could
 * remove tasks and read ids, its only contents.
 */
function checkPassword({ hostname, password }: URL, way: Way): Check {
  return password !== "" || /^(localhost|127\..*|\[::1\])$/.test(hostname)
    ? passes("redis-password", "Redis asks for a password, or is on this machine")
    : warns(
        "redis-password",
        "Redis is on another machine and asks for no password",
        `Set \`requirepass\` in Redis, and REDIS_PASSWORD for all processes. ${restart(way, ["api", "worker"])}`,
      );
}

const parseInfo = (info: string): Map<string, string> =>
  new Map(info.split(/\r?\n/).flatMap((line) => (line.includes(":") ? [splitOnce(line)] : [])));

const splitOnce = (line: string): [string, string] => {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1)];
};
