import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { openDatabase, openQueuePool } from "../../../db/client.ts";
import { findMissingGrants, findSurplusGrants } from "../../../db/grants.ts";
import { groupRoles } from "../../../db/rights.ts";
import { rolesScript } from "../../../db/logins.ts";
import { sql } from "../../../db/sql.ts";
import { startEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import { runOperator } from "../../../operator/program.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { openPatiently } from "../../support/run/database.ts";
import { asLogin } from "../../support/run/queue-schema.ts";
import { copyDataDirectory } from "../../support/run/services.ts";

/** A cluster for this file alone: roles and logins belong to a whole cluster. */
let superuser: string;
let directory: string;

const passwords: Readonly<Record<string, string>> = {
  "api/database-password": "api:/@#%",
  "worker/database-password": "worker",
  "responder/database-password": "responder",
  "operator/database-password": "operator",
  "api/queue-database-password": "queue'\"\\",
  "worker/queue-database-password": "queue'\"\\",
};

const urlOf = (database: string, login?: { user: string; password: string }): string => {
  const url = Object.assign(new URL(superuser), { pathname: `/${database}` });
  if (login !== undefined) Object.assign(url, { username: login.user, password: encodeURIComponent(login.password) });
  return url.href;
};

const loginUrl = (database: string, process: string): string =>
  urlOf(database, {
    user: `realmpass_${process}_login`,
    password: passwords[process === "queue" ? "api/queue-database-password" : `${process}/database-password`] ?? "",
  });

const asSuperuser = <Row extends object>(database: string, text: string): Promise<Row[]> =>
  asLogin(urlOf(database), async (client) => (await client.query<Row>(text)).rows);

async function migrate(url: string, ...options: string[]) {
  let out = "";
  let err = "";
  const code = await runOperator(["migrate", ...options, "--json"], {
    env: { DATABASE_URL: url, REALMPASS_DATA_DIRECTORY: directory },
    nodeVersion: process.versions.node,
    clock: systemClock,
    writeOut: (text) => (out += text),
    writeError: (text) => (err += text),
    readSecret: () => Promise.resolve(""),
  });
  return { code, err, out, json: JSON.parse(out) as Record<string, unknown> };
}

/** The outcome of `migrate` by a login that cannot make roles, on a cluster without the service's roles. */
let withoutRoles: Awaited<ReturnType<typeof migrate>>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "realmpass-logins-"));
  await copyDataDirectory(directory);
  const quiet = { info: () => undefined, error: () => undefined };
  const server = await startEmbeddedPostgres({
    dataDirectory: directory,
    log: quiet,
    searchPath: process.env["PATH"] ?? "",
  });
  atEndOfFile(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  superuser = server.url;
  for (const [file, password] of Object.entries(passwords)) {
    mkdirSync(join(directory, "logins", file, ".."), { recursive: true });
    writeFileSync(join(directory, "logins", file), `${password}\n`);
  }
  await asSuperuser("postgres", "create role dba_owner login password 'dba'");
  await asSuperuser("postgres", "create role stranger login password 'stranger'");
  await asSuperuser("postgres", "create database early owner dba_owner");
  await asSuperuser("postgres", "create database by_hand");
  await asSuperuser("postgres", "create database earlier_version");
  withoutRoles = await migrate(urlOf("early", { user: "dba_owner", password: "dba" }));
});

const logins = (): string => join(directory, "logins");

test("deploy/postgres/roles.sql equals the statements of migrate --logins: --update rewrites the file", async () => {
  await expect(rolesScript).toMatchFileSnapshot(resolve("deploy/postgres/roles.sql"));
});

test("with roles missing and no right to make them, migrate shows the command to run", () => {
  expect(withoutRoles.code).toBe(1);
  expect(withoutRoles.json).toEqual({
    error: "roles_missing",
    error_description: expect.stringMatching(
      /the role realmpass_api.*may not create roles\. Run deploy\/postgres\/roles\.sql as a superuser\./,
    ) as string,
  });
});

test("only a superuser can make logins", async () => {
  const { code, json } = await migrate(urlOf("early", { user: "dba_owner", password: "dba" }), "--logins", logins());
  expect([code, json["error"]]).toEqual([1, "superuser_needed"]);
});

test("a missing password, or different passwords for one login, changes nothing", async () => {
  const other = join(directory, "other");
  expect((await migrate(urlOf("realmpass"), "--logins", other)).json).toEqual({
    error: "secret_missing",
    error_description: `Cannot read ${join(other, "api/database-password")} (ENOENT).`,
  });
  for (const file of Object.keys(passwords)) {
    mkdirSync(join(other, file, ".."), { recursive: true });
    writeFileSync(join(other, file), file.startsWith("api/queue") ? "another" : "one");
  }
  const { json } = await migrate(urlOf("realmpass"), "--logins", other);
  expect(json["error"]).toBe("secret_unusable");
  expect(json["error_description"]).not.toMatch(/another/);
  expect(await asSuperuser("realmpass", "select from pg_roles where rolname like 'realmpass%'")).toEqual([]);
});

describe("after migrate --logins on an empty database", () => {
  beforeAll(async () => {
    const { code, err } = await migrate(urlOf("realmpass"), "--logins", logins());
    if (code !== 0) throw new Error(err);
  });

  test("everything in the database belongs to realmpass_owner, which is not a superuser and cannot make roles", async () => {
    const owners = await asSuperuser(
      "realmpass",
      `select distinct pg_get_userbyid(owner) as owner
         from (select relowner from pg_class where relnamespace in ('public'::regnamespace, 'bullmq'::regnamespace)
               union select proowner from pg_proc p where pronamespace in ('public'::regnamespace, 'bullmq'::regnamespace)
                 and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
               union select nspowner from pg_namespace where nspname in ('public', 'bullmq')
               union select datdba from pg_database where datname = current_database()) as owned (owner)`,
    );
    expect(owners).toEqual([{ owner: "realmpass_owner" }]);
    expect(
      await asSuperuser(
        "realmpass",
        "select rolsuper, rolcreaterole, rolbypassrls from pg_roles where rolname = 'realmpass_owner'",
      ),
    ).toEqual([{ rolsuper: false, rolcreaterole: false, rolbypassrls: false }]);
  });

  test("the roles have exactly the listed rights", async () => {
    const db = openPatiently({ url: urlOf("realmpass"), connectionsMax: 1 });
    try {
      expect(await findMissingGrants(db)).toEqual([]);
      expect(await findSurplusGrants(db)).toEqual([]);
    } finally {
      await db.close();
    }
  });

  test("repeating migrate --logins, roles.sql alone and a plain migrate change no role and no owner", async () => {
    const catalogue = () =>
      asSuperuser(
        "realmpass",
        `select format('%s %s %s %s', rolname, rolcanlogin, rolsuper, rolcreaterole) as line from pg_roles
         union all select format('%s in %s', member::regrole, roleid::regrole) from pg_auth_members
         union all select format('%s of %s %s', datname, datdba::regrole, datacl) from pg_database where datname = 'realmpass'
         union all select format('%s of %s %s', oid::regclass, relowner::regrole, relacl) from pg_class
                    where relnamespace in ('public'::regnamespace, 'bullmq'::regnamespace)
         order by 1`,
      );
    const before = await catalogue();
    expect((await migrate(urlOf("realmpass"), "--logins", logins())).code).toBe(0);
    await asSuperuser("realmpass", await readFile("deploy/postgres/roles.sql", "utf8"));
    expect((await migrate(urlOf("realmpass"))).code).toBe(0);
    await asSuperuser("realmpass", "alter role realmpass_owner password 'owner'");
    expect((await migrate(urlOf("realmpass", { user: "realmpass_owner", password: "owner" }))).code).toBe(0);
    expect(await catalogue()).toEqual(before);
  });

  test("migrate --check succeeds, or fails and lists the migrations that have not been run", async () => {
    expect(await migrate(urlOf("realmpass"), "--check")).toMatchObject({ code: 0, json: { pending: [] } });
    await asSuperuser("realmpass", "delete from knex_migrations where name = '20261121-1180-overview'");
    try {
      expect(await migrate(urlOf("realmpass"), "--check")).toMatchObject({
        code: 1,
        json: { pending: ["20261121-1180-overview"] },
      });
    } finally {
      await asSuperuser(
        "realmpass",
        "insert into knex_migrations (name, batch, migration_time) values ('20261121-1180-overview', 1, now())",
      );
    }
  });

  test("a migration that Postgres refuses is named, with the SQLSTATE and without a statement", async () => {
    await asSuperuser("realmpass", "delete from knex_migrations where name = '20261121-1150-hand-overs'");
    const { code, json, err } = await migrate(urlOf("realmpass"));
    await asSuperuser(
      "realmpass",
      "insert into knex_migrations (name, batch, migration_time) values ('20261121-1150-hand-overs', 1, now())",
    );
    expect([code, json]).toEqual([
      1,
      {
        error: "migration_failed",
        error_description:
          'Migration 20261121-1150-hand-overs failed: relation "hand_overs" already exists (SQLSTATE 42P07).',
      },
    ]);
    expect(err).not.toMatch(/create table/);
  });

  test("each login belongs only to its own group and signs in with its own password", async () => {
    for (const group of groupRoles) {
      const name = group.replace("realmpass_", "");
      const rows = await asLogin(loginUrl("realmpass", name), async (client) =>
        (
          await client.query<{ role: string }>(
            `select rolname as role from pg_roles where pg_has_role(session_user, oid, 'member') and rolname <> session_user order by 1`,
          )
        ).rows.map(({ role }) => role),
      );
      const withQueue = ["realmpass_api", "realmpass_worker"].includes(group)
        ? [group, "realmpass_queue"].sort()
        : [group];
      expect(rows).toEqual(withQueue);
    }
  });

  test("nobody can sign in as a group, and an unknown login cannot connect to the database", async () => {
    await asSuperuser("realmpass", "alter role realmpass_api password 'api'");
    await expect(
      asLogin(urlOf("realmpass", { user: "realmpass_api", password: "api" }), (client) => client.query("select 1")),
    ).rejects.toThrow(/not permitted to log in/);
    await expect(
      asLogin(urlOf("realmpass", { user: "stranger", password: "stranger" }), (client) => client.query("select 1")),
    ).rejects.toThrow(/permission denied for database/);
  });

  test("the server never receives a password in plain text", async () => {
    // A server that got the password would derive the verifier itself, in one round.
    await asSuperuser("postgres", "alter role postgres set scram_iterations = 1");
    expect((await migrate(urlOf("realmpass"), "--logins", logins())).code).toBe(0);
    await asSuperuser("postgres", "alter role postgres reset scram_iterations");
    const [row] = await asSuperuser<{ verifier: string }>(
      "realmpass",
      "select rolpassword as verifier from pg_authid where rolname = 'realmpass_worker_login'",
    );
    expect(row?.verifier).toMatch(/^SCRAM-SHA-256\$4096:/);
  });

  test("the queue's login adds tasks, and can become no other role", async () => {
    const pool = openQueuePool({
      url: loginUrl("realmpass", "queue"),
      connectionsMax: 1,
      applicationName: "realmpass test",
    });
    try {
      await pool.query(
        "select add_job('issuance', gen_random_uuid()::text, 'issue', '{}', '{}', 0, 0, 0, 1, null, null, null, null, null, false)",
      );
      expect((await pool.query("select from job where queue = 'issuance'")).rowCount).toBe(1);
      for (const role of ["realmpass_api", "realmpass_worker", "realmpass_owner", "postgres"]) {
        await expect(pool.query(`set role ${role}`)).rejects.toThrow(/permission denied/);
      }
    } finally {
      await pool.end();
    }
  });

  const everyLogin = ["api", "worker", "responder", "operator", "queue"] as const;
  const but = (...those: (typeof everyLogin)[number][]) => everyLogin.filter((login) => !those.includes(login));
  const notOwner = "returns trigger language plpgsql as $body$ begin return new; end $body$";

  /** Statements forbidden to a login, whether the session has taken on the login's role or dropped it. */
  const forbidden: readonly [logins: readonly (typeof everyLogin)[number][], statement: string][] = [
    [but("worker", "operator"), "select * from issuer_keys"],
    [but("operator"), "update issuer_keys set encrypted_key = '{}'"],
    [everyLogin, "update certificates set certificate = ''"],
    [everyLogin, "delete from certificates"],
    [but("worker"), "insert into certificates default values"],
    [but("worker"), "update crls set number = 1"],
    [but("operator"), "update issuers set issuing = true"],
    [but("api", "operator"), "update realms set radius_ca = ''"],
    [but("operator"), "update realms set domain = 'other.example'"],
    [but("api", "operator"), "update realms set upstream_issuer = ''"],
    [but("operator"), "update realms set local_sign_in = true"],
    [but("api", "operator"), "update users set administrator = true"],
    [but("api", "operator"), "insert into users (administrator) values (true)"],
    [but("api", "worker", "operator"), "update users set offboarded_at = null"],
    [but("operator"), "insert into local_credentials default values"],
    [but("operator"), "insert into sign_in_links default values"],
    [but("api", "operator"), "select * from application_secrets"],
    [but("api", "operator"), "select * from local_credentials"],
    [but("api", "operator"), "select * from access_tokens"],
    [but("api", "operator"), "select * from token_signing_keys"],
    [but("api"), "select sealed_tokens from console_sessions"],
    [everyLogin, "update audit_entries set event = 'user_lock'"],
    [everyLogin, "delete from revocations"],
    [everyLogin, "update knex_migrations set name = ''"],
    [everyLogin, "truncate users"],
    [everyLogin, "alter table users disable trigger all"],
    [everyLogin, "drop trigger users_stay_offboarded on users"],
    [everyLogin, "create trigger planted before insert on users for each row execute function keep_offboarded()"],
    [everyLogin, "create table public.planted (id integer)"],
    [everyLogin, `create function public.planted() ${notOwner}`],
    [everyLogin, "create or replace function keep_offboarded() " + notOwner],
    [everyLogin, "create schema planted"],
    [everyLogin, "create table bullmq.planted (id integer)"],
    [everyLogin, "create trigger planted before insert on bullmq.job for each row execute function keep_offboarded()"],
    [everyLogin, "create rule planted as on insert to bullmq.job do instead nothing"],
    [everyLogin, "truncate bullmq.job"],
    [everyLogin, "alter table bullmq.job add column planted integer"],
    [everyLogin, "delete from bullmq.migration"],
    [but("api", "worker", "queue"), "insert into bullmq.job default values"],
    [but("api", "worker", "queue"), "select bullmq.next_job_id('issuance')"],
    [but("api", "worker", "operator"), "select end_sign_ins('{}')"],
    [everyLogin, "create role planted"],
    [but("api"), "alter role realmpass_api_login password 'planted'"],
    [but("worker"), "alter role realmpass_worker_login password 'planted'"],
    [everyLogin, "set role realmpass_owner"],
    [everyLogin, "set role postgres"],
    [but("worker"), "set role realmpass_worker"],
    [but("api"), "set role realmpass_api"],
    [but("operator"), "set role realmpass_operator"],
    [everyLogin, "set session authorization postgres"],
    [everyLogin, "copy (select 1) to program 'true'"],
    [everyLogin, "select pg_read_file('PG_VERSION')"],
  ];

  test.each(everyLogin)("every statement that is forbidden to the login of %s is refused", async (login) => {
    const statements = forbidden.flatMap(([who, statement]) => (who.includes(login) ? [statement] : []));
    const taken = await asLogin(loginUrl("realmpass", login), async (client) => {
      const notRefused: string[] = [];
      for (const begin of [`set role realmpass_${login}`, "reset role"]) {
        for (const statement of statements) {
          await client.query(`begin; ${begin}`);
          const refusal = await client.query(statement).then(
            () => "",
            (error: unknown) => (error as pg.DatabaseError).code,
          );
          await client.query("rollback");
          if (refusal !== "42501") notRefused.push(`${begin}; ${statement}: ${refusal ?? ""}`);
        }
      }
      return notRefused;
    });
    expect(taken).toEqual([]);
  });

  test("a worker that drops its role cannot undo an offboarding", async () => {
    await asSuperuser(
      "realmpass",
      `insert into realms (name, domain, display_name, created_at) values ('demo', 'demo.example', 'Demo', now());
       insert into users (realm_id, pairwise_id, email, administrator, created_at, offboarded_at)
       select id, 'gone', '', false, now(), now() from realms`,
    );
    await asLogin(loginUrl("realmpass", "worker"), async (client) => {
      await expect(client.query("update users set offboarded_at = null")).rejects.toThrow(
        /only the api and the operator/,
      );
    });
    await asLogin(loginUrl("realmpass", "api"), async (client) => {
      expect((await client.query("update users set offboarded_at = null")).rowCount).toBe(1);
    });
  });
});

test("an owner without the right to make roles can migrate after a DBA has made the roles", async () => {
  await asSuperuser("early", `grant ${groupRoles.join(", ")} to dba_owner`);
  const { code, json } = await migrate(urlOf("early", { user: "dba_owner", password: "dba" }));
  expect([code, json["error_description"]]).toEqual([0, undefined]);
});

test("an installation whose tables belong to a superuser is handed over, and keeps its rows", async () => {
  expect((await migrate(urlOf("earlier_version"))).code).toBe(0);
  await asSuperuser(
    "earlier_version",
    "insert into realms (name, domain, display_name, created_at) values ('demo', 'demo.example', 'Demo', now())",
  );
  const { code, err } = await migrate(urlOf("earlier_version"), "--logins", logins());
  expect([code, err]).toEqual([0, ""]);
  const db = openDatabase({
    url: loginUrl("earlier_version", "api"),
    role: "realmpass_api",
    connectionsMax: 1,
    applicationName: "realmpass test",
  });
  try {
    expect(await db.query(sql`select name from realms`)).toEqual([{ name: "demo" }]);
    expect(
      await db.query(sql`select tableowner as owner, count(*)::integer > 30 as all from pg_tables
                          where schemaname in ('public', 'bullmq') group by 1`),
    ).toEqual([{ owner: "realmpass_owner", all: true }]);
  } finally {
    await db.close();
  }
});
