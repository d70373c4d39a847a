import { Redis, ReplyError } from "ioredis";

/**
 * Opens a connection. A connection for adding jobs fails immediately while Redis is unavailable, so the request is not
 * delayed. A connection for taking jobs waits for Redis indefinitely (BullMQ requires this of workers). With
 * `answerMsMax`, a command also fails if Redis does not respond within that time.
 */
export function openRedis(
  url: string,
  use: "produce" | "consume",
  onError: (error: Error) => void,
  { answerMsMax }: { answerMsMax?: number } = {},
): Redis {
  const redis = new Redis(url, {
    ...(use === "produce" ? { enableOfflineQueue: false, maxRetriesPerRequest: 1 } : { maxRetriesPerRequest: null }),
    ...(answerMsMax === undefined ? {} : { commandTimeout: answerMsMax }),
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
  redis.on("error", onError);
  return redis;
}

/**
 * Writes a key that expires immediately, under the prefix of the queues' own keys. Rejects if Redis accepts no writes:
 * it is a replica (READONLY), its memory is full (OOM), a snapshot failed (MISCONF) or the login lacks the right
 * (NOPERM).
 */
export async function tryWrite(redis: Redis): Promise<void> {
  await redis.set("bull:probe", "", "PX", 1);
}

/** Returns the word with which Redis refused a command, such as READONLY; undefined if Redis did not respond. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof ReplyError ? /^[A-Z]+(?= )/.exec((error as Error).message)?.[0] : undefined;

/**
 * Returns whether this Redis belongs to a Redis Cluster, where every script of BullMQ would fail, because each script
 * uses keys of several slots.
 */
export const isCluster = async (redis: Redis): Promise<boolean> =>
  /^cluster_enabled:1/m.test(await redis.info("cluster"));

export const clusterRefused = "Redis Cluster cannot be used; use one Redis";
