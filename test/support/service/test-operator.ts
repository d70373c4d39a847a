import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { sql } from "../../../db/sql.ts";
import { runOperator } from "../../../operator/program.ts";
import { systemClock, type Clock } from "../../../runtime/clock.ts";
import type { Env } from "../../../runtime/config/config.ts";
import {
  drawSecret,
  openDataDirectory,
  type DataDirectory,
  type DrawnSecret,
} from "../../../runtime/keys/data-directory.ts";

import { testPasswordCost } from "../given/local-account.ts";
import { useDatabase, type TestDatabase } from "../run/database.ts";
import { testKeyCost } from "../given/hierarchy/test-hierarchy.ts";

export interface Ran {
  code: number;
  out: string;
  err: string;
  /** Standard output, which must be one JSON object. */
  json: Record<string, unknown>;
}

export interface RunOptions {
  env?: Env;
  input?: string;
  clock?: Clock;
  nodeVersion?: string;
}

export interface TestOperator {
  database: TestDatabase;
  data: DataDirectory<DrawnSecret>;
  env(): Env;
  /** Runs a command with `--json`. */
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs a command without `--json`, as people do. */
  runPlain(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Makes a new realm with the command. */
  realm(): Promise<string>;
  /** Returns a realm that tests of the file can share; the first call makes it. */
  anyRealm(): Promise<string>;
  auditEvents(realm: string): Promise<string[]>;
}

/** Provides the operator program in this process, with a database and a data directory for this file alone. */
export function useOperator(database: TestDatabase = useDatabase()): TestOperator {
  const directory = mkdtempSync(join(tmpdir(), "realmpass-operator-"));
  const names = Object.keys(drawSecret) as DrawnSecret[];
  const data = openDataDirectory(directory, names);
  for (const name of names) data.make(name);
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const env = (): Env => ({ DATABASE_URL: database.url, REALMPASS_DATA_DIRECTORY: directory });
  const runPlain = async (argv: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    let out = "";
    let err = "";
    const code = await runOperator(argv, {
      env: { ...env(), ...options.env },
      nodeVersion: options.nodeVersion ?? process.versions.node,
      clock: options.clock ?? systemClock,
      writeOut: (text) => (out += text),
      writeError: (text) => (err += text),
      costs: { key: testKeyCost, password: testPasswordCost },
      readSecret: () => Promise.resolve(options.input ?? ""),
    });
    return {
      code,
      out,
      err,
      get json() {
        return JSON.parse(out) as Record<string, unknown>;
      },
    };
  };

  const realm = async (): Promise<string> => {
    const name = `r${randomBytes(4).toString("hex")}`;
    const { code, err } = await runPlain(["realm", "create", "--name", name, "--domain", `${name}.example`]);
    if (code !== 0) throw new Error(err);
    return name;
  };
  let sharedRealm: Promise<string> | undefined;

  return {
    database,
    data,
    env,
    runPlain,
    run: (argv, options) => runPlain([...argv, "--json"], options),
    realm,
    anyRealm: () => (sharedRealm ??= realm()),
    async auditEvents(realm) {
      const rows = await database.owner.query<{ event: string }>(sql`
        select event
          from audit_entries a
          join realms r on r.id = a.realm_id
         where r.name = ${realm}
           and a.user_id is null
           and a.client_id is null
         order by a.id
      `);
      return rows.map(({ event }) => event);
    },
  };
}
