import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { beforeAll } from "vitest";
import {
  openDatabase,
  type Database,
  type DatabaseOptions,
  type DatabaseRole,
  type OpenDatabase,
} from "../../../db/client.ts";
import { atEndOfFile } from "./at-end.ts";

export interface TestDatabase {
  /** The owner's URL of this file's own database. */
  readonly url: string;
  /** Opens the database in a role; it is closed at the end of the file. */
  open(role: DatabaseRole | undefined, options?: { connectionsMax?: number }): Database;
  /** The database with the owner's rights, for reading anything and breaking things on purpose. */
  readonly owner: Database;
}

/** Opens a database with longer timeouts for preparing tests: on a busy machine, answers and connections are late. */
export const openPatiently = (
  options: Pick<DatabaseOptions, "url" | "role" | "connectionsMax"> & Partial<Pick<DatabaseOptions, "applicationName">>,
): OpenDatabase =>
  openDatabase({ applicationName: "realmpass test", connectSecondsMax: 60, answerSecondsMax: 120, ...options });

/** Makes a fresh copy of the migrated database for this test file. */
export function useDatabase(): TestDatabase {
  const opened: Database[] = [];
  let url = "";
  let owner: Database | undefined;

  beforeAll(async () => {
    const clone = await cloneDatabase();
    ({ url } = clone);
    owner = openPatiently({ url, connectionsMax: 4 });
    opened.push(owner);
    atEndOfFile(async () => {
      await Promise.all(opened.map((db) => db.close()));
      await clone.drop();
    });
  });

  return {
    get url() {
      return url;
    },
    get owner() {
      if (owner === undefined) throw new Error("the database is there from beforeAll on");
      return owner;
    },
    open(role, { connectionsMax = 8 } = {}) {
      const db = openPatiently({ url, role, connectionsMax });
      opened.push(db);
      return db;
    },
  };
}

/** Copies the migrated database, for as long as the caller wants it. */
export const cloneDatabase = (): Promise<Clone> => copyOf(nameIn(required("TEST_TEMPLATE_URL")));

/** Makes an empty database, for as long as the caller wants it. */
export const emptyDatabase = (): Promise<Clone> => copyOf("template0");

/**
 * Copies a database as it is at this moment, as a backup does. Ends its connections, so nothing changes during the
 * copy.
 */
export async function backUp({ url }: TestDatabase): Promise<Clone> {
  const name = nameIn(url);
  const admin = (administration ??= openAdministration(required("TEST_DATABASE_URL")));
  await admin.query(`alter database ${name} allow_connections false`);
  try {
    // Repeats the statement, because a connection that was being made appears a moment later.
    const ended = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";
    while ((await admin.query(ended, [name])).rowCount !== 0) await pause(20);
    return await copyOf(name);
  } finally {
    await admin.query(`alter database ${name} allow_connections true`);
  }
}

interface Clone {
  url: string;
  drop: () => Promise<void>;
}

const nameIn = (url: string): string => new URL(url).pathname.slice(1);

async function copyOf(template: string): Promise<Clone> {
  const server = required("TEST_DATABASE_URL");
  const admin = (administration ??= openAdministration(server));
  const name = `test_${randomBytes(8).toString("hex")}`;
  // Copying the template's files is quickest, because nothing waits for the disk.
  await admin.query(`create database ${name} template ${pg.escapeIdentifier(template)} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await admin.query(`drop database if exists ${name} with (force)`);
    },
  };
}

let administration: pg.Pool | undefined;

/**
 * Opens one connection for all databases that this process makes and drops; the connection does not keep the process
 * alive.
 */
function openAdministration(server: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: server, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // The server may stop before the pool, at the end of the run.
  pool.on("error", () => undefined);
  return pool;
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is set by test/support/run/global-setup.ts`);
  return value;
}
