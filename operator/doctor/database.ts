import { openDatabase, type Db } from "../../db/client.ts";
import { findMissingGrants, findSurplusGrants } from "../../db/grants.ts";
import { examineSessions, loginsWithoutRole } from "../../db/guard.ts";
import { newerMigrations, pendingMigrations } from "../../db/migrate.ts";
import { roleRefused } from "../../db/outage.ts";
import * as installation from "../../db/queries/upkeep/installation.ts";
import { skewMs, skewMsMax } from "../../runtime/clock.ts";
import type { Context } from "../context/context.ts";
import { describeFailure } from "../context/failure.ts";
import { fails, newerRemedy, notLookedAt, passes, warns, type Check } from "./check.ts";
import { migrateRemedy, startServerRemedy, wayOf, type Way } from "../context/way.ts";

const postgresMajorMin = 15;

const pooler = "A pooler between Realmpass and PostgreSQL drops the role";

/**
 * Checks that the database accepts the login, before it acts in any role, that the server's version is supported, and
 * that its clock and this machine's agree.
 */
export async function checkServer(context: Context): Promise<Check[]> {
  try {
    const url = await context.databaseUrl();
    const db = openDatabase({ url, connectionsMax: 1, applicationName: "realmpass doctor" });
    try {
      const before = context.clock.now();
      const { version, major, now } = await installation.server(db);
      return [checkVersion(version, major), checkClock({ before, now, after: context.clock.now() })];
    } finally {
      await db.close();
    }
  } catch (error) {
    const { code, message } = describeFailure(error);
    if (message.includes("unsupported startup parameter"))
      return [fails("database", `${pooler}.`, "Connect directly.")];
    const refused = "Correct the login, the password or the database's name in DATABASE_URL (or DATABASE_PASSWORD).";
    const remedy =
      code === "database_refused"
        ? refused
        : (remediesOfOutages[sqlstateOf(error) ?? ""] ??
          startServerRemedy(wayOf(context), "PostgreSQL", "correct the host and port in DATABASE_URL"));
    return [fails("database", message, remedy)];
  }
}

/** Remedies by SQLSTATE (PostgreSQL appendix A). */
const remediesOfOutages: Readonly<Record<string, string>> = {
  "53300":
    "All connections are in use: see who has them (`select usename, application_name, count(*) from pg_stat_activity group by 1, 2`, as a superuser), end some, or raise max_connections.",
  "57P03": "PostgreSQL is starting, or recovers: wait, and see its log.",
};

/** Returns the code of an error, or of its cause: the SQLSTATE if Postgres reported the error. */
export function sqlstateOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return cause === undefined ? undefined : sqlstateOf(cause);
}

const checkVersion = (version: string, major: number): Check =>
  major >= postgresMajorMin
    ? passes("database", `Postgres ${version} answers`)
    : fails("database", `Postgres ${version} is too old`, `Use Postgres ${postgresMajorMin} or newer.`);

function checkClock({ before, now, after }: { before: Date; now: Date; after: Date }): Check {
  const apartMs = Math.abs(skewMs({ before, now, after }));
  return apartMs <= skewMsMax
    ? passes("clock", `this machine and the database agree within ${skewMsMax / 1000} s`)
    : fails(
        "clock",
        `this machine and the database are ${(apartMs / 1000).toFixed(0)} s apart`,
        "Let both machines set their clocks by NTP.",
      );
}

/** Checks that the login may act as the operator. If that role is missing, nothing has been migrated. */
export async function checkLogin(db: Db, way: Way): Promise<Check> {
  try {
    const { role } = await installation.server(db);
    if (role !== "realmpass_operator") {
      return fails("login", `The session runs as ${role}. ${pooler}.`, "Connect directly.");
    }
    return passes("login", "the login of DATABASE_URL may act as realmpass_operator");
  } catch (error) {
    return roleRefused(error)
      ? fails(
          "login",
          "the login of DATABASE_URL may not act as realmpass_operator",
          "Grant realmpass_operator to it, or use realmpass_operator_login, which `operator migrate --logins` creates.",
        )
      : fails("login", describeFailure(error).message, migrateRemedy(way));
  }
}

/**
 * Checks that the roles have exactly the listed rights, that logins are members of their roles, and that the logins of
 * running processes have no further rights.
 */
export async function checkRoles(db: Db, way: Way): Promise<Check> {
  const [missing, surplus] = [await findMissingGrants(db), await findSurplusGrants(db)];
  if (missing.length + surplus.length > 0) {
    if (await isAhead(db)) return notLookedAt("roles");
    const differences = [...missing, ...surplus].slice(0, differencesMax).join("; ");
    return fails("roles", `the rights of the roles are not those of this version: ${differences}`, migrateRemedy(way));
  }
  const without = await loginsWithoutRole(db);
  if (without.length > 0) {
    return fails(
      "roles",
      without.map(({ login, role }) => `${login} is not a member of ${role}`).join(", "),
      `Run ${without.map(({ login, role }) => `\`grant ${role} to ${login}\``).join(" and ")} as a superuser. Until then processes with this login run on the connections that they have, and cannot start.`,
    );
  }
  const wide = await examineSessions(db);
  if (wide.length > 0) {
    return warns(
      "roles",
      `logins of running processes may do more than their roles: ${wide.map(({ login, reason }) => `${login} ${reason}`).join(", ")}`,
      [...new Set(wide.map(({ remedy }) => remedy))].join(" "),
    );
  }
  return passes("roles", "the roles and the logins of running processes have the rights that they need and no others");
}

/** The most differences that a check lists. */
const differencesMax = 10;

/**
 * Whether the database is of a newer version than this program, as after a rollback. Checks that compare it with this
 * version then have no result.
 */
export const isAhead = async (db: Db): Promise<boolean> =>
  newerMigrations(await installation.migrationsDone(db)).length > 0;

/** Checks that this version's migrations have been run. */
export async function checkMigrations(db: Db, way: Way): Promise<Check> {
  const remedy = migrateRemedy(way);
  try {
    const done = await installation.migrationsDone(db);
    const [pending, newer] = [pendingMigrations(done), newerMigrations(done)];
    if (pending.length > 0) {
      const message = `not run yet: ${pending.join(", ")}`;
      if (newer.length === 0) return fails("migrations", message, remedy);
      return fails(
        "migrations",
        `${message}; of a newer version: ${newer.join(", ")}`,
        "Run the release that migrated the database: docs/upgrade.md.",
      );
    }
    if (newer.length === 0) return passes("migrations", "up to date");
    const message = `of a newer version than this program: ${newer.join(", ")}; what these changed is not looked at`;
    return warns("migrations", message, newerRemedy);
  } catch (error) {
    return fails("migrations", describeFailure(error).message, remedy);
  }
}

/** PostgreSQL appendix A. */
const diskFull = "53100";

/** Checks that the database accepts a write. */
export async function checkWrite(db: Db): Promise<Check> {
  try {
    await installation.probe(db);
    return passes("database-write", "the database accepts a write");
  } catch (error) {
    return sqlstateOf(error) === diskFull
      ? fails("database-write", "the disk of PostgreSQL is full", "Make room on the disk of PostgreSQL.")
      : fails("database-write", describeFailure(error).message, "Connect to the primary, and see PostgreSQL's log.");
  }
}

/** Checks that the server keeps confirmed writes if its machine fails. */
export const checkWriteSettings = async (db: Db): Promise<Check> => judgeSettings(await installation.writeSettings(db));

export function judgeSettings({ fsync, fullPageWrites, synchronousCommit }: installation.WriteSettings): Check {
  const name = "postgres-settings";
  const off = [...(fsync === "off" ? ["fsync"] : []), ...(fullPageWrites === "off" ? ["full_page_writes"] : [])];
  if (off.length > 0) {
    const message = `${off.join(" and ")} ${off.length === 1 ? "is" : "are"} off: the database can be damaged when its machine fails`;
    return fails(name, message, `Set ${off.map((setting) => `${setting} = on`).join(", ")} in postgresql.conf.`);
  }
  return synchronousCommit === "off"
    ? warns(
        name,
        "synchronous_commit is off: revocations that were confirmed can be lost when the database's machine fails",
        "Set synchronous_commit = on in postgresql.conf.",
      )
    : passes(name, "confirmed changes are on the disk");
}
