import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { clusterRefused, isCluster, openRedis } from "../runtime/queue/redis.ts";
import { Unstartable, unstartableExitCode } from "../runtime/config/unstartable.ts";

/**
 * Checks whether REDIS_URL leads to a Redis Cluster, and throws {@link Unstartable} if so. Does not wait while Redis is
 * unavailable: as soon as Redis responds it is checked, and a cluster then ends the process.
 */
export function guardRedis({ url, log, lifecycle }: { url: string; log: Log; lifecycle: Lifecycle }): Promise<void> {
  return new Promise((resolve, reject) => {
    let waited = true;
    const stopWaiting = (): void => {
      waited = false;
      resolve();
    };
    const refuse = (): void => {
      log.error({ event: "redis.cluster_refused" }, clusterRefused);
      if (waited) reject(new Unstartable(`REDIS_URL: ${clusterRefused}`));
      else void lifecycle.stop("Redis Cluster").finally(() => process.exit(unstartableExitCode));
    };
    // The code that uses Redis reports when Redis is unavailable.
    const redis = openRedis(url, "produce", stopWaiting);
    const disconnect = (): void => {
      redis.disconnect();
    };
    lifecycle.onStop("redis guard", disconnect);
    redis.on("ready", () => {
      isCluster(redis)
        .then((found) => {
          disconnect();
          if (found) refuse();
          else stopWaiting();
        })
        // Redis became unavailable again, or its login may not ask whether Redis is a cluster.
        .catch(stopWaiting);
    });
  });
}
