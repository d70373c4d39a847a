import { openDatabase, type Db } from "../../db/client.ts";
import { findMissingGrants, findSurplusGrants } from "../../db/grants.ts";
import { examineSessions } from "../../db/guard.ts";
import { pendingMigrations } from "../../db/migrate.ts";
import * as installation from "../../db/queries/upkeep/installation.ts";
import { skewMs, skewMsMax } from "../../runtime/clock.ts";
import type { Context } from "../context/context.ts";
import { describeFailure } from "../context/failure.ts";
import { fails, passes, warns, type Check } from "./check.ts";

const postgresMajorMin = 15;

/** Whether the database answers at all, to the login itself, and whether its clock and this machine's agree. */
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
    const remedy =
      code === "database_refused"
        ? "Correct the login, the password or the database's name in DATABASE_URL (or DATABASE_PASSWORD)."
        : "Start Postgres, or correct the host and port in DATABASE_URL.";
    return [fails("database", message, remedy)];
  }
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

/** Whether the login may act as the operator. Where there is no such role yet, nothing has been migrated. */
export async function checkLogin(db: Db): Promise<Check> {
  try {
    await installation.server(db);
    return passes("login", "the login of DATABASE_URL may act as realmpass_operator");
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === "42501"
      ? fails(
          "login",
          "the login of DATABASE_URL may not act as realmpass_operator",
          "Grant realmpass_operator to it, or use realmpass_operator_login, which `operator migrate --logins` makes.",
        )
      : fails("login", describeFailure(error).message, "Run `npm run migrate`.");
  }
}

/** Whether the roles may do what the list says and no more, and the logins of running processes no more than their roles. */
export async function checkRoles(db: Db): Promise<Check> {
  const [missing, surplus] = [await findMissingGrants(db), await findSurplusGrants(db)];
  if (missing.length + surplus.length > 0) {
    const differences = [...missing, ...surplus].slice(0, differencesMax).join("; ");
    return fails(
      "roles",
      `the rights of the roles are not those of this version: ${differences}`,
      "Run `npm run migrate`.",
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
  return passes("roles", "the roles, and the logins of running processes, may do what they should and no more");
}

/** More say nothing more. */
const differencesMax = 10;

/** Whether this version's migrations have been run. */
export async function checkMigrations(db: Db): Promise<Check> {
  const remedy = "Run `npm run migrate`.";
  try {
    const pending = pendingMigrations(await installation.migrationsDone(db));
    return pending.length === 0
      ? passes("migrations", "up to date")
      : fails("migrations", `not run yet: ${pending.join(", ")}`, remedy);
  } catch (error) {
    return fails("migrations", describeFailure(error).message, remedy);
  }
}
