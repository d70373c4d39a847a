import type { JobWatch } from "../../../contract/deps.ts";
import type { Database } from "../../../../db/client.ts";
import { DatabaseUnavailable } from "../../../../db/outage.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import type { Clock } from "../../../../runtime/clock.ts";
import type { Log } from "../../../../runtime/log.ts";

/** The shortest time between two readings, however many notifications arrive. */
const readingsApartMs = 100;

/** How often watched jobs are read again: a notification may be lost, and a job may have stalled. */
const pollMs = 2_000;

/** A watched job and its last reading. */
interface Watched {
  job: jobs.Job | undefined;
  /** The number of the last reading; 0 if there is none yet. */
  reading: number;
  watchers: Set<() => void>;
}

/**
 * Creates a watch on jobs. One reading serves all watchers of a job; one listening connection and a slow poll trigger
 * the readings.
 */
export function createJobWatch({ db, clock, log }: { db: Database; clock: Clock; log: Log }): JobWatch {
  const watched = new Map<string, Watched>();
  const due = new Set<string>();
  let readings = 0;
  let reading = false;
  let lastReadAt = -readingsApartMs;
  let closed = false;
  let readTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;

  const readDue = async (): Promise<void> => {
    readTimer = undefined;
    reading = true;
    lastReadAt = performance.now();
    const number = ++readings;
    const ids = [...due].filter((id) => watched.has(id));
    due.clear();
    try {
      const found = ids.length === 0 ? [] : await jobs.listByIds(db, { ids, at: clock.now() });
      const byId = new Map(found.map((job) => [job.id, job]));
      for (const id of ids) {
        const entry = watched.get(id);
        if (entry === undefined) continue;
        entry.job = byId.get(id);
        entry.reading = number;
        for (const wake of entry.watchers) wake();
      }
    } catch (error) {
      const err = error instanceof DatabaseUnavailable ? error.cause : error;
      log.warn({ event: "job_watch.read_failed", err, jobs: ids.length }, "could not read the watched jobs");
    } finally {
      reading = false;
      if (due.size > 0) schedule();
    }
  };

  const schedule = (): void => {
    if (reading || closed) return;
    readTimer ??= setTimeout(() => void readDue(), Math.max(lastReadAt + readingsApartMs - performance.now(), 0));
  };

  const want = (ids: Iterable<string>): void => {
    for (const id of ids) if (watched.has(id)) due.add(id);
    if (due.size > 0) schedule();
  };

  const recheck = (): void => {
    want(watched.keys());
  };

  const enter = (id: string, wake: () => void): Watched => {
    const entry = watched.get(id) ?? { job: undefined, reading: 0, watchers: new Set() };
    watched.set(id, entry);
    entry.watchers.add(wake);
    pollTimer ??= setInterval(recheck, pollMs);
    return entry;
  };

  const leave = (id: string, wake: () => void): void => {
    const entry = watched.get(id);
    entry?.watchers.delete(wake);
    if (entry?.watchers.size === 0) watched.delete(id);
    if (watched.size > 0) return;
    clearInterval(pollTimer);
    clearTimeout(readTimer);
    pollTimer = readTimer = undefined;
    due.clear();
  };

  return {
    watch(id) {
      let woken: () => void = () => undefined;
      const wake = (): void => {
        woken();
      };
      const entry = enter(id, wake);
      // Waits for a new reading: an earlier one may be older than the state that this watcher already has.
      const from = readings + 1;
      let seen: string | undefined;
      want([id]);

      const news = (): jobs.Job | "over" | undefined => {
        if (closed) return "over";
        if (entry.reading < from) return undefined;
        if (entry.job === undefined) return "over";
        const now = `${entry.job.revision} ${entry.job.stalled}`;
        if (now === seen) return undefined;
        seen = now;
        return entry.job;
      };

      return {
        async next(waitMs, signal) {
          let timer: NodeJS.Timeout | undefined;
          let late = false;
          const onAbort = wake;
          signal.addEventListener("abort", onAbort);
          try {
            for (;;) {
              if (signal.aborted) return "over";
              const heard = news();
              if (heard !== undefined) return heard;
              // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the timer sets it
              if (late || waitMs <= 0) return "quiet";
              await new Promise<void>((resolve) => {
                woken = resolve;
                timer ??= setTimeout(() => {
                  late = true;
                  woken();
                }, waitMs);
              });
            }
          } finally {
            clearTimeout(timer);
            signal.removeEventListener("abort", onAbort);
            woken = () => undefined;
          }
        },
        end() {
          leave(id, wake);
        },
      };
    },
    notice(payload) {
      want(payload.split(","));
    },
    recheck,
    watching: () => watched.size,
    close() {
      closed = true;
      for (const { watchers } of watched.values()) for (const wake of watchers) wake();
    },
  };
}
