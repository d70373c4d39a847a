import { Redis } from "ioredis";

/**
 * A connection for adding jobs: fails at once while Redis is away instead of holding the request.
 * A connection for taking jobs: waits for Redis for as long as it takes (BullMQ requires it of workers).
 */
export function openRedis(url: string, use: "produce" | "consume", onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    ...(use === "produce" ? { enableOfflineQueue: false, maxRetriesPerRequest: 1 } : { maxRetriesPerRequest: null }),
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
  redis.on("error", onError);
  return redis;
}
