import { onSession, queueSchema } from "../../db/client.ts";
import { migrateDatabase } from "../../db/migrate.ts";
import {
  dropQueueSchema,
  endOperatorsMembership,
  findForeign,
  grantQueueRole,
  useSystemNames,
} from "../../db/queue-schema.ts";
import { queueNames } from "../../domain/tasks/task.ts";
import { createLog, type Log } from "../../runtime/log.ts";
import { migrateQueues } from "../../runtime/queues.ts";

export interface MigrationOutcome {
  /** Names of the migrations that were run now. */
  migrations: string[];
  queueSchemaVersion: number;
}

/**
 * Brings the service's own tables and BullMQ's up to date, as the login of `url`. Safe to call again and from several
 * processes at once.
 */
export async function migrateAll(
  url: string,
  log: Pick<Log, "warn"> = createLog({ process: "migrate", level: "warn" }),
): Promise<MigrationOutcome> {
  const { migrations, also } = await migrateDatabase(url, {
    async also(session) {
      const db = onSession(session);
      await useSystemNames(db);
      // To migrate as the owner where others have created is to run their code. Tasks that go with the schema are added
      // again by the sweep: the rows in our own tables say what is to be done.
      const found = await findForeign(db);
      if (found.length > 0) {
        await dropQueueSchema(db);
        log.warn(
          { event: "queue.schema_rebuilt", found },
          "others could create in the queue's schema, or had: it was removed and made again; the sweep adds its tasks again",
        );
      }
      const version = await migrateQueues(session, queueSchema);
      await grantQueueRole(db, queueNames);
      await endOperatorsMembership(db);
      return version;
    },
  });
  return { migrations, queueSchemaVersion: also };
}
