import { command } from "../command.ts";
import { migrateAll } from "../migrate.ts";

export const migrate = command({
  name: "migrate",
  about:
    "Brings the database up to date, as the login of DATABASE_URL. Safe to run again and from several machines at once.",
  options: {},
  async run(_, context) {
    const { migrations, queueSchemaVersion } = await migrateAll(await context.databaseUrl());
    const done = migrations.length === 0 ? "Everything was up to date." : `Migrated: ${migrations.join(", ")}.`;
    return { json: { migrations, queueSchemaVersion }, text: `${done} Queue schema: version ${queueSchemaVersion}.` };
  },
});
