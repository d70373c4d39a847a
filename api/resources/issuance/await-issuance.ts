import type { Settlements, WaitOutcome } from "../../contract/deps.ts";
import type { Database } from "../../../db/client.ts";
import { DatabaseUnavailable } from "../../../db/outage.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import type { Log } from "../../../runtime/log.ts";
import type { ApiMetrics } from "../../http/metrics.ts";

/** How often the api reads the rows again while requests wait, in case a notification is lost. */
const pollMs = 2_000;

type Wake = (outcome: WaitOutcome) => void;

/**
 * Wakes requests that wait for issuances. Notices from one listening connection and a slow poll trigger this. The row
 * is the truth; a notice only prompts a look at the row.
 */
export function createSettlements({ db, log, metrics }: { db: Database; log: Log; metrics: ApiMetrics }): Settlements {
  const waiters = new Map<string, Set<Wake>>();
  let timer: NodeJS.Timeout | undefined;

  const settle = (id: string): void => {
    for (const wake of waiters.get(id) ?? []) wake("settled");
  };

  const check = async (ids: readonly string[]): Promise<void> => {
    try {
      for (const id of await issuances.listSettled(db, ids)) settle(id);
    } catch (error) {
      const err = error instanceof DatabaseUnavailable ? error.cause : error;
      log.warn({ event: "settlements.check_failed", err, waiting: ids.length }, "could not look for settled issuances");
    }
  };

  const recheck = (): void => {
    if (waiters.size > 0) void check([...waiters.keys()]);
  };

  const add = (id: string, wake: Wake): void => {
    const others = waiters.get(id);
    if (others === undefined) waiters.set(id, new Set([wake]));
    else others.add(wake);
    timer ??= setInterval(recheck, pollMs);
  };

  const remove = (id: string, wake: Wake): void => {
    const others = waiters.get(id);
    others?.delete(wake);
    if (others?.size === 0) waiters.delete(id);
    if (waiters.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };

  return {
    watch(id) {
      const startedAt = performance.now();
      let wake: Wake = () => undefined;
      const outcome = new Promise<WaitOutcome>((resolve) => (wake = resolve));
      add(id, wake);

      return {
        async settled(waitMs, signal) {
          const onAbort = (): void => {
            wake("gone");
          };
          const late = setTimeout(wake, waitMs, "late");
          signal.addEventListener("abort", onAbort, { once: true });
          if (signal.aborted) onAbort();
          const how = await outcome;
          clearTimeout(late);
          signal.removeEventListener("abort", onAbort);
          remove(id, wake);
          metrics.issuanceWait(how, (performance.now() - startedAt) / 1000);
          return how;
        },
        checkNow() {
          void check([id]);
        },
        end() {
          remove(id, wake);
        },
      };
    },
    notice(payload) {
      for (const id of payload.split(",")) settle(id);
    },
    recheck,
    waiting: () => waiters.size,
    close() {
      for (const [, wakes] of waiters) for (const wake of wakes) wake("late");
    },
  };
}
