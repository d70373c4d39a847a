import { queueRole } from "../db/client.ts";
import { migrateDatabase } from "../db/migrate.ts";
import { migrateQueues, queueSchema } from "../runtime/queues.ts";

export interface MigrationOutcome {
  /** Names of the migrations that were run now. */
  migrations: string[];
  queueSchemaVersion: number;
}

/**
 * Brings the service's own tables and BullMQ's up to date, as the login of `url`. Safe to call again and from several
 * processes at once.
 */
export async function migrateAll(url: string): Promise<MigrationOutcome> {
  const { migrations, also } = await migrateDatabase(url, {
    async also(session) {
      const version = await migrateQueues(session);
      // BullMQ makes a sequence for each new queue, and only the role that made it may use it: so there is one role.
      await session.query(`
        grant usage, create on schema ${queueSchema} to ${queueRole};
        grant all on all tables in schema ${queueSchema} to ${queueRole};
        grant all on all sequences in schema ${queueSchema} to ${queueRole};
        grant execute on all functions in schema ${queueSchema} to ${queueRole};
        grant ${queueRole} to realmpass_operator;
      `);
      return version;
    },
  });
  return { migrations, queueSchemaVersion: also };
}
