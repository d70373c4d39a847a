import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { clusterRefused, isCluster, openRedis } from "../runtime/redis.ts";
import { Unstartable, unstartableExitCode } from "../runtime/unstartable.ts";

/**
 * Looks whether REDIS_URL leads to a Redis Cluster, and throws {@link Unstartable} if so. Nobody waits for a Redis that is
 * away: it is looked at as soon as it answers, and ends the process then.
 */
export function guardRedis({ url, log, lifecycle }: { url: string; log: Log; lifecycle: Lifecycle }): Promise<void> {
  return new Promise((resolve, reject) => {
    let waited = true;
    const goOn = (): void => {
      waited = false;
      resolve();
    };
    const refuse = (): void => {
      log.error({ event: "redis.cluster_refused" }, clusterRefused);
      if (waited) reject(new Unstartable(`REDIS_URL: ${clusterRefused}`));
      else void lifecycle.stop("Redis Cluster").finally(() => process.exit(unstartableExitCode));
    };
    // That it is away is said by what uses it.
    const redis = openRedis(url, "produce", goOn);
    const disconnect = (): void => {
      redis.disconnect();
    };
    lifecycle.onStop("redis guard", disconnect);
    redis.on("ready", () => {
      isCluster(redis)
        .then((found) => {
          disconnect();
          if (found) refuse();
          else goOn();
        })
        // It went away again, or may not be asked.
        .catch(goOn);
    });
  });
}
