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

/** How a process says that it is alive and what does not work in it; others read it in the table `processes`. */
export interface Beat {
  /** The process's id, drawn at each start. */
  readonly id: string;
  /** Notes a problem, once however often it is reported. */
  report(code: ProblemCode, detail: string): void;
  /** That problem is over, if there was one. */
  end(code: ProblemCode, detail: string): void;
  /** What does not work now. */
  problems(): ProblemCode[];
  /**
   * Registers the process and goes on to say that it is alive until the lifecycle stops it. Resolves after the first
   * try: while Postgres is away the log says so, and it is tried again.
   */
  start(options: { ocspUrl?: string }): Promise<void>;
}

export interface BeatOptions {
  kind: ProcessKind;
  /** Which queue it uses; null for none. */
  queue: string | null;
  /** The most connections to Postgres that it opens. */
  connectionsMax: number;
  db: Database;
  /** With how far it is ahead of the database's, where it was compared with that, in milliseconds. */
  clock: Clock & { readonly skewMs?: number | null };
  /** What the process looks at with each beat. */
  alsoLook?: () => Promise<unknown>;
  log: Log;
  lifecycle: Lifecycle;
}

const beatMs = 5_000;
const removeMsMax = 1_000;

/** Prepares the beat of this process; nothing is said before it starts. */
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
            log.warn({ event: "process.not_registered", err }, "the process could not say that it is alive");
          });
      const look = (): Promise<unknown> =>
        alsoLook().catch((err: unknown) => {
          log.warn({ event: "process.not_examined", err }, "the process could not look whether its secrets still hold");
        });
      const beat = (): Promise<unknown> =>
        (beating ??= Promise.all([register(), look()]).finally(() => (beating = undefined)));
      const timer = setInterval(() => void beat(), beatMs);
      lifecycle.onStop("beat", async () => {
        clearInterval(timer);
        await beating;
        // A row that stays is forgotten later on.
        await within(removeMsMax, processes.remove(db, id));
      });
      await beat();
    },
  };
}
