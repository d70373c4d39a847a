import { onSession, queueSchema } from "../../db/client.ts";
import type { GrantChanges } from "../../db/grants.ts";
import { migrateDatabase } from "../../db/migrate.ts";
import { dropQueueSchema, findForeign, makeQueueSequences, useSystemNames } from "../../db/queue-schema.ts";
import { queueNames } from "../../domain/tasks/task.ts";
import { createLog, type Log } from "../../runtime/log.ts";
import { migrateQueues } from "../../runtime/queue/queues.ts";

export type MigrationOutcome =
  | {
      /** Names of the migrations that this call ran. */
      migrations: string[];
      newer: [];
      queueSchemaVersion: number;
      grants: GrantChanges;
    }
  /** The database has migrations of a newer version; nothing was changed. */
  | { migrations: []; newer: string[] };

/**
 * Brings the service's own tables, BullMQ's tables and the roles' rights up to date, as the login of `url`. Changes
 * nothing if a newer version has migrated the database. Safe to call again, and from several processes at the same
 * time.
 */
export async function migrateAll(
  url: string,
  log: Pick<Log, "info" | "warn"> = createLog({ process: "migrate", level: "warn" }),
): Promise<MigrationOutcome> {
  const outcome = await migrateDatabase(url, {
    async also(session) {
      const db = onSession(session);
      await useSystemNames(db);
      // If others have created objects in the queue's schema, migrating as the owner would run their code. The sweep
      // adds the dropped tasks again: the rows in our own tables contain the work.
      const found = await findForeign(db);
      if (found.length > 0) {
        await dropQueueSchema(db);
        log.warn(
          { event: "queue.schema_rebuilt", found },
          "recreated the queue's schema, because others could create objects in it or had done so; the sweep adds its tasks again",
        );
      }
      const version = await migrateQueues(session, queueSchema);
      await makeQueueSequences(db, queueNames);
      return version;
    },
  });
  if (!("also" in outcome)) return outcome;
  const { migrations, also, grants } = outcome;
  const { granted, revoked } = grants;
  if (granted.length + revoked.length > 0) {
    // After a migration the rights are expected to change; otherwise somebody changed them by hand.
    log[migrations.length === 0 && revoked.length > 0 ? "warn" : "info"](
      { event: "database.grants_changed", granted: granted.length, revoked },
      "the rights of the service's roles were set to those of this version",
    );
  }
  return { migrations, newer: [], queueSchemaVersion: also, grants };
}
