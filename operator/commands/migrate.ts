import { z } from "zod";
import { openDatabase, type Database, type DatabaseRole } from "../../db/client.ts";
import { makeInstallationRoles } from "../../db/logins.ts";
import * as installation from "../../db/queries/upkeep/installation.ts";
import { flag, option } from "../../terminal/command.ts";
import { CommandError, usageError } from "../../terminal/failure.ts";
import { isSet } from "../../terminal/inputs.ts";
import type { Context } from "../context/context.ts";
import { serialsOfKeysNotDer } from "../migrate/keys-not-der.ts";
import { readLoginPasswords } from "../migrate/login-passwords.ts";
import { command, type Answer } from "./command.ts";

export const migrate = command({
  name: "migrate",
  about:
    "Brings the database up to date, as the login of DATABASE_URL. Safe to run again and from several machines at once.",
  options: {
    check: flag("change nothing, and fail when a migration has not been run", isSet),
    logins: option(
      "dir",
      "first create the roles and a login for each process, as a superuser, with the passwords in this directory",
      z.string().min(1).optional(),
    ),
  },
  async run({ check, logins }, context) {
    if (check && logins !== undefined) throw usageError("--check changes nothing: give it without --logins.");
    if (check) return checkMigrations(context);
    if (logins !== undefined) await makeLogins(context, logins);
    // Loaded only here, because knex and BullMQ are large: other commands start without them.
    const { migrateAll } = await import("../migrate/migrate.ts");
    const outcome = await migrateAll(await context.databaseUrl());
    if (!("grants" in outcome)) return leftAlone(outcome.newer);
    const { migrations, queueSchemaVersion, grants } = outcome;
    const done = migrations.length === 0 ? "Everything was up to date." : `Migrated: ${migrations.join(", ")}.`;
    const keysNotDer = await withDatabase(context, "realmpass_operator", (db) =>
      serialsOfKeysNotDer(db, { at: context.clock.now() }),
    );
    return {
      json: {
        migrations,
        queueSchemaVersion,
        grants: { granted: grants.granted.length, revoked: grants.revoked },
        keysNotDer,
      },
      text: [
        `${done} Queue schema: version ${queueSchemaVersion}.`,
        ...(migrations.length === 0 ? changed(grants) : []),
        ...toRevoke(keysNotDer),
      ].join("\n"),
    };
  },
});

/**
 * Returns the answer if a newer version has migrated the database: after an upgrade is undone, the older version runs
 * with the newer version's migrations.
 */
const leftAlone = (newer: readonly string[]): Answer => ({
  json: { migrations: [], newer },
  text: `The database is of a newer version (${newer.join(", ")}): nothing was changed.`,
});

async function makeLogins(context: Context, directory: string): Promise<void> {
  const passwords = readLoginPasswords(directory);
  if (!(await makeInstallationRoles(await context.databaseUrl(), passwords))) {
    throw new CommandError(
      "superuser_needed",
      "Only a superuser creates roles and logins, and the login of DATABASE_URL is not one.",
    );
  }
}

async function checkMigrations(context: Context): Promise<Answer> {
  const { pendingMigrations } = await import("../../db/migrate.ts");
  return withDatabase(context, undefined, async (db) => {
    const pending = pendingMigrations(await installation.migrationsDone(db));
    return {
      json: { pending },
      text: pending.length === 0 ? "Everything is up to date." : `Not run yet: ${pending.join(", ")}.`,
      failed: pending.length > 0,
    };
  });
}

/** Opens the database without the warning of the other commands, because `migrate` needs the owner's login. */
async function withDatabase<Result>(
  context: Context,
  role: DatabaseRole | undefined,
  run: (db: Database) => Promise<Result>,
): Promise<Result> {
  const url = await context.databaseUrl();
  const db = openDatabase({ url, role, connectionsMax: 1, applicationName: "realmpass operator" });
  try {
    return await run(db);
  } finally {
    await db.close();
  }
}

/** Reports the rights that were granted and revoked. */
const changed = ({ granted, revoked }: { granted: string[]; revoked: string[] }): string[] => [
  ...(granted.length === 0 ? [] : [`Rights granted to roles: ${granted.length}.`]),
  ...(revoked.length === 0 ? [] : ["Rights that no role should have had, now revoked:", ...revoked]),
];

/**
 * Reports active profiles whose keys earlier versions certified in a form other than DER, and what to do about them.
 */
const toRevoke = (serials: readonly string[]): string[] =>
  serials.length === 0
    ? []
    : [
        "These active profiles have a public key that is not in DER form, so that the same key could be certified again. Revoke them; their serial numbers:",
        ...serials,
      ];
