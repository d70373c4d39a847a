import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "../db/client.ts";
import { isNeverMigrated, knowsMigration, newestMigration, pendingMigrations } from "../db/migrate.ts";
import { SchemaAhead } from "../db/migration-failures.ts";
import { DatabaseUnavailable } from "../db/outage.ts";
import * as installation from "../db/queries/upkeep/installation.ts";
import type { Log } from "../runtime/log.ts";

const lookMs = 1_000;
const logEveryMs = 10_000;

/**
 * Waits until every migration of this version has been run and `migrate`, which grants the roles' rights last, has
 * ended. Until then the process takes no task and writes nothing; `onWait` is called once if the process has to wait
 * for `migrate`. Throws {@link SchemaAhead} if the database requires a newer version than this one.
 */
export async function awaitSchema({
  db,
  log,
  onWait,
}: {
  db: Db;
  log: Log;
  onWait: () => Promise<void>;
}): Promise<void> {
  let loggedAt: number | undefined;
  for (;;) {
    const found = await look(db);
    if (found === "as it must be") return;
    if (found !== "unknown" && (loggedAt === undefined || performance.now() - loggedAt >= logEveryMs)) {
      if (loggedAt === undefined) await onWait();
      loggedAt = performance.now();
      log.warn(
        { event: "schema.behind", ...found },
        "waiting for `operator migrate`: the database lacks what this version needs",
      );
    }
    await pause(lookMs);
  }

  async function look(database: Db): Promise<"as it must be" | "unknown" | { pending: string[] }> {
    try {
      const pending = pendingMigrations(await installation.migrationsDone(database));
      if (pending.length > 0) return { pending };
      const { minimum, migratedTo } = await installation.versions(database);
      if (minimum !== null && !knowsMigration(minimum)) throw new SchemaAhead(minimum);
      // Later versions have migrations with later names. Until this version's last name is recorded, the roles may lack
      // rights.
      return migratedTo !== null && migratedTo >= newestMigration ? "as it must be" : { pending };
    } catch (error) {
      if (error instanceof SchemaAhead) {
        log.error({ event: "schema.ahead", minimum: error.minimum }, error.message);
        throw error;
      }
      if (isNeverMigrated(error)) return { pending: pendingMigrations([]) };
      if (error instanceof DatabaseUnavailable) return "unknown";
      // insufficient_privilege: the database is a dump that was restored without rights.
      if ((error as { code?: unknown }).code === "42501") return { pending: [] };
      throw error;
    }
  }
}
