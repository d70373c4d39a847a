import type { Db } from "../db/client.ts";
import { isNeverMigrated, pendingMigrations } from "../db/migrate.ts";
import { roleRefused } from "../db/outage.ts";
import * as installation from "../db/queries/upkeep/installation.ts";
import type { ServiceClock } from "../runtime/clock.ts";
import { answerWithin } from "../runtime/deadline.ts";
import type { Log } from "../runtime/log.ts";
import type { ProcessSecrets } from "./secrets.ts";

/** A condition for a process to serve. */
export type Need = "database" | "schema" | "keys" | "clock";

/** Whether a process can serve now. The reasons are public: they contain no host and no secret. */
export interface Readiness {
  /** How long the database took to respond, in milliseconds. */
  databaseMs: number;
  /**
   * The unmet needs and their reasons; empty if the process can serve. While the database is unavailable, the state of
   * the schema is unknown.
   */
  lacks: { path: Need; reason: string }[];
}

/** Checks whether this process can serve. Never rejects. */
export type LookForReadiness = () => Promise<Readiness>;

/** Returns the data for a process that can serve; the API and the metrics ports use the same data. */
export const readyData = ({ databaseMs }: Readiness) => ({
  database: { ok: true, ms: databaseMs },
  schema: { ok: true },
  keys: { ok: true },
  clock: { ok: true },
});

/** Returns one sentence that lists what is missing. */
export const notReady = ({ lacks }: Readiness): string => `Not ready: ${lacks.map(({ path }) => path).join(", ")}.`;

/** After how many seconds a client should ask again. */
export const readinessRetryAfterSeconds = 1;

/** A database that takes longer than this counts as unavailable. */
const databaseMsMax = 2_000;

export interface ReadinessOptions {
  db: Db;
  clock: Pick<ServiceClock, "isInStep">;
  secrets: Pick<ProcessSecrets, "lastMismatches">;
  log: Log;
}

/** Creates the readiness check of this process; it logs changes. */
export function createReadiness({ db, clock, secrets, log }: ReadinessOptions): LookForReadiness {
  let logged = "";

  return async () => {
    const startedAt = performance.now();
    const found = await lookAtDatabase(db);
    const databaseMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const lacks: Readiness["lacks"] = found === undefined ? [] : [found];
    const mismatches = secrets.lastMismatches();
    if (mismatches === undefined) {
      lacks.push({ path: "keys", reason: "were not compared with the installation's yet" });
    } else if (mismatches.length > 0) {
      lacks.push({ path: "keys", reason: `not those of the installation: ${mismatches.join(", ")}` });
    }
    if (!clock.isInStep()) {
      lacks.push({ path: "clock", reason: "this machine's clock was not found to agree with the database's" });
    }

    const summary = lacks.map(({ path }) => path).join(" ");
    if (summary !== logged) {
      if (lacks.length > 0) log.warn({ event: "readiness.failed", lacks }, "this process is not ready");
      else log.info({ event: "readiness.restored" }, "this process is ready again");
    }
    logged = summary;
    return { databaseMs, lacks };
  };
}

const readOnly = "is read-only: DATABASE_URL leads to a standby, or the primary was set so";

async function lookAtDatabase(db: Db): Promise<Readiness["lacks"][number] | undefined> {
  try {
    const looks = Promise.all([installation.migrationsDone(db), installation.isReadOnly(db)]);
    const [done, isReadOnly] = await answerWithin(databaseMsMax, looks);
    if (isReadOnly) return { path: "database", reason: readOnly };
    const pending = pendingMigrations(done);
    return pending.length === 0 ? undefined : { path: "schema", reason: `not run yet: ${pending.join(", ")}` };
  } catch (error) {
    return isNeverMigrated(error)
      ? { path: "schema", reason: "no migration has been run" }
      : {
          path: "database",
          reason: roleRefused(error) ? "refuses this process: its login lost its role" : "does not answer",
        };
  }
}
