import { command } from "./command.ts";
import { serialsOfKeysNotDer } from "../migrate/keys-not-der.ts";

export const migrate = command({
  name: "migrate",
  about:
    "Brings the database up to date, as the login of DATABASE_URL. Safe to run again and from several machines at once.",
  options: {},
  async run(_, context) {
    // Loaded only here, as it is large: other commands start without knex and BullMQ.
    const { migrateAll } = await import("../migrate/migrate.ts");
    const { migrations, queueSchemaVersion } = await migrateAll(await context.databaseUrl());
    const done = migrations.length === 0 ? "Everything was up to date." : `Migrated: ${migrations.join(", ")}.`;
    const keysNotDer = await serialsOfKeysNotDer(await context.db(), { at: context.clock.now() });
    return {
      json: { migrations, queueSchemaVersion, keysNotDer },
      text: [`${done} Queue schema: version ${queueSchemaVersion}.`, ...toRevoke(keysNotDer)].join("\n"),
    };
  },
});

/** What is to be done about keys that earlier versions certified as they were sent. */
const toRevoke = (serials: readonly string[]): string[] =>
  serials.length === 0
    ? []
    : [
        "These active profiles have a public key that is not in DER form, so that the same key could be certified again. Revoke them; their serial numbers:",
        ...serials,
      ];
