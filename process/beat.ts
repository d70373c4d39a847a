import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Database } from "../db/client.ts";
import { newestMigration } from "../db/migrate.ts";
import * as processes from "../db/queries/upkeep/processes.ts";
import type { Problem, ProblemCode, ProcessKind } from "../domain/process.ts";
import type { Clock } from "../runtime/clock.ts";
import { within } from "../runtime/deadline.ts";
import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { programVersion } from "../runtime/program-files.ts";

/** Sends the process's heartbeats and problems to the table `processes`, where other processes read them. */
export interface Beat {
  /** The process's id, drawn at each start. */
  readonly id: string;
  /** Notes a problem. Repeated reports of the same problem count once. */
  report(code: ProblemCode, detail: string): void;
  /** Ends a reported problem. Does nothing if it was not reported. */
  end(code: ProblemCode, detail: string): void;
  /** Returns the code of each current problem; a code can occur more than once. */
  problems(): ProblemCode[];
  /**
   * Registers the process and sends heartbeats until the lifecycle stops it. Resolves after the first attempt: while
   * Postgres is unavailable, failures are logged and retried.
   */
  start(options: { ocspUrl?: string }): Promise<void>;
}

export interface BeatOptions {
  kind: ProcessKind;
  /** The queue that the process uses; null for none. */
  queue: string | null;
  /** The most connections to Postgres that the process opens. */
  connectionsMax: number;
  db: Database;
  /** `skewMs`: how far this clock is ahead of the database's, in milliseconds, if the clocks have been compared. */
  clock: Clock & { readonly skewMs?: number | null };
  /** Runs with each heartbeat. */
  alsoLook?: () => Promise<unknown>;
  log: Log;
  lifecycle: Lifecycle;
}

const beatMs = 5_000;
const removeMsMax = 1_000;

/** Creates the beat of this process; the beat writes nothing before `start`. */
export function createBeat({
  kind,
  queue,
  connectionsMax,
  db,
  clock,
  alsoLook = () => Promise.resolve(),
  log,
  lifecycle,
}: BeatOptions): Beat {
  const id = randomUUID();
  const problems = new Map<string, Problem>();
  const keyOf = (code: ProblemCode, detail: string): string => `${code} ${detail}`;

  return {
    id,
    report(code, detail) {
      const key = keyOf(code, detail);
      if (!problems.has(key)) problems.set(key, { code, detail, since: clock.now() });
    },
    end(code, detail) {
      problems.delete(keyOf(code, detail));
    },
    problems: () => [...problems.values()].map(({ code }) => code),
    async start({ ocspUrl = null }: { ocspUrl?: string | null }) {
      const self = {
        id,
        kind,
        host: hostname(),
        pid: process.pid,
        version: programVersion(),
        migration: newestMigration,
        queue,
        connectionsMax,
        ocspUrl,
      };
      let beating: Promise<unknown> | undefined;
      const register = (): Promise<void> =>
        processes
          .beat(db, { ...self, problems: [...problems.values()], clockSkewMs: clock.skewMs ?? null })
          .catch((err: unknown) => {
            log.warn({ event: "process.not_registered", err }, "the process could not send its heartbeat");
          });
      const look = (): Promise<unknown> =>
        alsoLook().catch((err: unknown) => {
          log.warn({ event: "process.not_examined", err }, "the process could not check its secrets");
        });
      const beat = (): Promise<unknown> =>
        (beating ??= Promise.all([register(), look()]).finally(() => (beating = undefined)));
      const timer = setInterval(() => void beat(), beatMs);
      lifecycle.onStop("beat", async () => {
        clearInterval(timer);
        await beating;
        // Another process later removes a row that remains.
        await within(removeMsMax, processes.remove(db, id));
      });
      await beat();
    },
  };
}
