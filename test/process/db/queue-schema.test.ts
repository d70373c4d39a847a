import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { queueNames } from "../../../domain/tasks/task.ts";
import { migrateAll } from "../../../operator/migrate/migrate.ts";
import { startBreakablePostgres, type Breakable } from "../../support/service/fault-services.ts";
import { asLogin, makeOpenQueueSchema } from "../../support/run/queue-schema.ts";

/** A cluster for this file alone: roles and their passwords belong to a whole cluster. */
let postgres: Breakable;
/**
 * Owners' URLs of two databases: one made by this version, and one made by an earlier version and upgraded by this one.
 */
const urls = { fresh: "", upgraded: "" };
const apiPassword = randomBytes(24).toString("base64url");
const log = { info: () => undefined, warn: vi.fn() };
/** The log of the upgrade. */
let upgradeLog: unknown[][] = [];
/** The role that the planted trigger ran as, and the role that it could become, before the upgrade. */
let reached: { current_user: string; became: string | null }[] = [];

const asOwner = <Row extends object>(url: string, text: string): Promise<Row[]> =>
  asLogin(url, async (client) => (await client.query<Row>(text)).rows);

/** Returns the URL of the api's own login, as `npm start` makes it. */
const apiUrl = (ownerUrl: string): string =>
  Object.assign(new URL(ownerUrl), { username: "realmpass_api", password: apiPassword }).href;

const workerUrl = (ownerUrl: string): string =>
  Object.assign(new URL(ownerUrl), { username: "realmpass_worker", password: apiPassword }).href;

beforeAll(async () => {
  postgres = await startBreakablePostgres();
  urls.fresh = postgres.url;
  await asOwner(
    postgres.url,
    `alter role realmpass_api login password '${apiPassword}'; alter role realmpass_worker login password '${apiPassword}'`,
  );
  await asOwner(
    postgres.url,
    "insert into realms (name, domain, display_name, created_at) values ('demo', 'demo.example', 'Demo', now())",
  );
  await asOwner(postgres.url, "create database upgraded template realmpass");
  urls.upgraded = Object.assign(new URL(postgres.url), { pathname: "/upgraded" }).href;
  await migrateAll(urls.upgraded);
  await makeOpenQueueSchema(urls.upgraded);
  await asOwner(urls.upgraded, "grant realmpass_queue to realmpass_operator");
  reached = await plantTrigger();
  await migrateAll(urls.upgraded, log);
  upgradeLog = log.warn.mock.calls;
  log.warn = vi.fn();
});
afterAll(() => postgres.stop());

/**
 * Plants a trigger with the api's rights; returns the roles that it reached when the worker, and then the owner, added
 * a task.
 */
async function plantTrigger(): Promise<typeof reached> {
  await asLogin(apiUrl(urls.upgraded), (client) =>
    client.query(`
      create table bullmq.reached (current_user_ name, became name);
      grant insert on bullmq.reached to public;
      create function bullmq.planted() returns trigger language plpgsql as $body$
      declare
        target name;
        became name;
      begin
        foreach target in array array['postgres', 'realmpass_worker'] loop
          begin
            execute format('set local role %I', target);
            became := coalesce(became, current_user);
          exception when others then null;
          end;
        end loop;
        set local role realmpass_queue;
        insert into bullmq.reached values (session_user, became);
        return new;
      end
      $body$;
      create trigger planted before insert on bullmq.job for each row execute function bullmq.planted();
    `),
  );
  for (const url of [workerUrl(urls.upgraded), urls.upgraded]) {
    await asLogin(url, async (client) => {
      await client.query("set role realmpass_queue; set search_path = bullmq");
      await client.query(
        "select add_job('issuance', gen_random_uuid()::text, 'issue', '{}', '{}', 0, 0, 0, 1, null, null, null, null, null, false)",
      );
    });
  }
  return asOwner(urls.upgraded, "select current_user_ as current_user, became from bullmq.reached");
}

/** The right that `statement` needs is missing (PostgreSQL appendix A), or only the object's owner has it. */
const insufficientPrivilege = "42501";

const trigger = "returns trigger language plpgsql as $body$ begin return new; end $body$";

const inSchema = (schema: string): string[] => [
  `create table ${schema}.planted (id integer)`,
  `create table ${schema}.planted as select 1 as id`,
  `create view ${schema}.planted as select 1 as id`,
  `create materialized view ${schema}.planted as select 1 as id`,
  `create foreign table ${schema}.planted (id integer) server nowhere`,
  `create sequence ${schema}.planted`,
  `create function ${schema}.planted() ${trigger}`,
  `create procedure ${schema}.planted() language sql as ''`,
  `create aggregate ${schema}.planted (integer) (sfunc = int4pl, stype = integer)`,
  `create type ${schema}.planted as enum ('a')`,
  `create type ${schema}.planted as (id integer)`,
  `create type ${schema}.planted as range (subtype = integer)`,
  `create type ${schema}.planted`,
  `create domain ${schema}.planted as text check (value <> '')`,
  `create operator ${schema}.=== (function = texteq, leftarg = text, rightarg = text)`,
  `create operator family ${schema}.planted using btree`,
  `create operator class ${schema}.planted for type text using btree as operator 1 <`,
  `create collation ${schema}.planted (locale = 'C')`,
  `create conversion ${schema}.planted for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8`,
  `create text search configuration ${schema}.planted (copy = pg_catalog.simple)`,
  `create text search dictionary ${schema}.planted (template = pg_catalog.simple)`,
  `alter schema ${schema} rename to planted`,
  `alter schema ${schema} owner to realmpass_api`,
  `drop schema ${schema} cascade`,
  `comment on schema ${schema} is 'planted'`,
];

const onTable = (table: string, column: string): string[] => [
  `create trigger planted before insert on ${table} for each row execute function pg_temp.planted()`,
  `create constraint trigger planted after insert on ${table} for each row execute function pg_temp.planted()`,
  `create rule planted as on insert to ${table} do also notify planted`,
  `create rule planted as on insert to ${table} do instead nothing`,
  `create policy planted on ${table} using (true)`,
  `create index planted on ${table} (pg_temp.folded(${column}::text))`,
  `create statistics planted on (${column}::text), (${column}::text || '') from ${table}`,
  `create temporary table planted () inherits (${table})`,
  `alter table ${table} add column planted text default pg_temp.folded('')`,
  `alter table ${table} alter column ${column} set default null`,
  `alter table ${table} add constraint planted check (pg_temp.folded('') is null)`,
  `alter table ${table} disable trigger all`,
  `alter table ${table} enable row level security`,
  `alter table ${table} replica identity full`,
  `alter table ${table} rename to planted`,
  `alter table ${table} set schema public`,
  `alter table ${table} owner to realmpass_api`,
  `truncate ${table}`,
  `drop table ${table} cascade`,
  `cluster ${table}`,
  `comment on table ${table} is 'planted'`,
];

const attempts = [
  ...["bullmq", "public", "pg_catalog", "information_schema"].flatMap(inSchema),
  ...onTable("bullmq.job", "id"),
  ...onTable("bullmq.migration", "version"),
  ...onTable("public.issuances", "id"),
  ...onTable("public.audit_entries", "id"),
  // Functions that the owner runs, or whose progress it reads.
  "create or replace function bullmq.next_job_id(p_queue text) returns text language sql as $$ select 'planted' $$",
  "alter function bullmq.next_job_id(text) security definer",
  "alter function bullmq.next_job_id(text) set search_path = pg_temp",
  "alter function bullmq.next_job_id(text) rename to planted",
  "alter function bullmq.next_job_id(text) owner to realmpass_api",
  "drop function bullmq.next_job_id(text)",
  "insert into bullmq.migration (version, name, min_client_version) values (999, 'planted', 999)",
  "update bullmq.migration set min_client_version = 999",
  "delete from bullmq.migration",
  "select setval('bullmq.job_seq', 1)",
  "alter sequence bullmq.job_seq restart",
  "alter sequence bullmq.job_seq owner to realmpass_api",
  "alter sequence bullmq.job_seq rename to planted",
  "drop sequence bullmq.job_seq",
  "alter type bullmq.job_state add value 'planted'",
  "alter type bullmq.job_state rename to planted",
  "create cast (bullmq.job_state as bigint) with function pg_temp.counted(bullmq.job_state) as implicit",
  "insert into knex_migrations (name, batch, migration_time) values ('planted', 1, now())",
  // Objects that every role uses.
  "create schema planted",
  "create schema authorization realmpass_api",
  "create database planted",
  "create extension citext schema public",
  "create language planted handler plpgsql_call_handler",
  "create event trigger planted on ddl_command_start execute function pg_temp.planted()",
  "create publication planted for table bullmq.job",
  "create subscription planted connection 'dbname=planted' publication planted with (connect = false)",
  "create foreign data wrapper planted",
  "create access method planted type index handler bthandler",
  "create tablespace planted location '/planted'",
  "alter database this_database set search_path = pg_temp",
  "alter database this_database owner to realmpass_api",
  "alter system set shared_preload_libraries = 'planted'",
  "copy (select 1) to program 'true'",
  "copy (select 1) to '/tmp/planted'",
  "load '/planted.so'",
  "select pg_read_file('PG_VERSION')",
  // Becoming another role.
  ...["postgres", "realmpass_worker", "realmpass_operator"].flatMap((role) => [
    `set role ${role}`,
    `set session authorization ${role}`,
    `grant ${role} to realmpass_api`,
    `alter role ${role} password 'planted'`,
    `alter role ${role} set search_path = pg_temp`,
    `alter default privileges for role ${role} grant all on tables to realmpass_api`,
    `alter role ${role} rename to planted`,
    `drop owned by ${role}`,
    `reassign owned by ${role} to realmpass_api`,
  ]),
  "grant realmpass_queue to realmpass_worker",
  "create role planted",
];

/** Returns everything in a database with an owner, rights or a definition: whatever a login could have changed. */
async function catalog(url: string): Promise<string[]> {
  const rows = await asOwner<{ line: string }>(
    url,
    `
    select 'class ' || oid::regclass || ' ' || relkind::text || relrowsecurity || relowner || coalesce(relacl::text, '') as line
      from pg_class where relpersistence <> 't' and relnamespace <> 'pg_toast'::regnamespace and oid >= 16384
    union all select 'function ' || oid::regprocedure || proowner || prosrc || prosecdef || coalesce(proconfig::text, '')
                  || coalesce(proacl::text, '')
      from pg_proc where oid >= 16384 and not exists (select from pg_namespace n where n.oid = pronamespace and nspname like 'pg_temp%')
    union all select 'type ' || oid::regtype || typowner || coalesce(typacl::text, '')
      from pg_type where oid >= 16384 and not exists (select from pg_namespace n where n.oid = typnamespace and nspname like 'pg_temp%')
    union all select 'trigger ' || case when tgisinternal then '' else tgname end || tgrelid::regclass || tgenabled::text from pg_trigger
    union all select 'rule ' || rulename || ev_class::regclass from pg_rewrite where oid >= 16384
    union all select 'default ' || adrelid::regclass || adnum || pg_get_expr(adbin, adrelid) from pg_attrdef
    union all select 'constraint ' || conname || conrelid::regclass from pg_constraint
    union all select 'cast ' || castsource::regtype || casttarget::regtype from pg_cast where oid >= 16384
    union all select 'operator ' || oid::regoperator from pg_operator where oid >= 16384
    union all select 'policy ' || polname from pg_policy
    union all select 'default privileges ' || defaclrole || defaclacl::text from pg_default_acl
    union all select 'schema ' || nspname || nspowner || coalesce(nspacl::text, '') from pg_namespace
               where nspname !~ '^pg_(toast_)?temp'
    union all select 'member ' || member || ' of ' || roleid from pg_auth_members
    union all select 'setting ' || setdatabase || ' ' || setrole || setconfig::text from pg_db_role_setting
    union all select 'event trigger ' || evtname from pg_event_trigger
    union all select 'publication ' || pubname from pg_publication
    union all select 'comment ' || description from pg_description where objoid >= 16384
    order by 1
    `,
  );
  return rows.map(({ line }) => line);
}

describe.each(["fresh", "upgraded"] as const)("on a database that is %s", (kind) => {
  test.each(["realmpass_api", "realmpass_queue"])(
    "the api's login as %s cannot create or change anything that another login would run",
    async (role) => {
      const before = await catalog(urls[kind]);
      const database = new URL(urls[kind]).pathname.slice(1);
      const taken = await asLogin(apiUrl(urls[kind]), async (client) => {
        // The only objects that a login can make are visible only in its own session.
        await client.query(`
          create function pg_temp.planted() ${trigger};
          create function pg_temp.folded(text) returns text immutable language sql as 'select $1';
          create function pg_temp.counted(bullmq.job_state) returns bigint immutable language sql as 'select 1::bigint';
          set role ${role};
        `);
        const refusals: [string, string | undefined][] = [];
        for (const statement of attempts) {
          const refusal = await client.query(statement.replace("this_database", database)).then(
            () => undefined,
            (error: unknown) => (error as pg.DatabaseError).code,
          );
          refusals.push([statement, refusal]);
        }
        return refusals.filter(([, code]) => code !== insufficientPrivilege);
      });

      expect(taken).toEqual([]);
      expect(await catalog(urls[kind])).toEqual(before);
    },
  );

  test.each([
    "grant all on bullmq.job to public",
    "grant create on schema bullmq to realmpass_queue",
    "grant execute on all functions in schema bullmq to public",
  ])("%s changes nothing", async (statement) => {
    const before = await catalog(urls[kind]);
    await asLogin(apiUrl(urls[kind]), (client) => client.query(statement).catch(() => undefined));
    expect(await catalog(urls[kind])).toEqual(before);
  });

  test("a table of the api's session does not replace a table that the owner's functions write to", async () => {
    const [kept] = await asLogin(apiUrl(urls[kind]), async (client) => {
      await client.query(`
        begin;
        create temporary table audit_unsealed (realm_id bigint, entry_id bigint);
        create function pg_temp.planted() returns trigger language plpgsql as $body$
        begin raise exception 'planted code ran as %', current_user; end $body$;
        create trigger planted before insert on audit_unsealed for each row execute function pg_temp.planted();
      `);
      await client.query(`
        insert into audit_entries (realm_id, at, event, properties) select id, now(), 'user_lock', '{}' from realms
      `);
      const { rows } = await client.query<{ count: number }>("select count(*)::integer from public.audit_unsealed");
      await client.query("rollback");
      return rows;
    });
    expect(kept?.count).toBeGreaterThan(0);
  });

  test("everything in the queue's schema belongs to the owner, including a sequence for each queue", async () => {
    const owners = await asOwner(
      urls[kind],
      `select distinct pg_get_userbyid(owner) as owner from (
         select relowner from pg_class where relnamespace = 'bullmq'::regnamespace
         union select proowner from pg_proc where pronamespace = 'bullmq'::regnamespace
         union select typowner from pg_type where typnamespace = 'bullmq'::regnamespace
         union select nspowner from pg_namespace where nspname = 'bullmq') as owned (owner)`,
    );
    expect(owners).toEqual([{ owner: "postgres" }]);
    const missing = await asLogin(urls[kind], async (client) => {
      const { rows } = await client.query<{ name: string }>(
        "select name from unnest($1::text[]) as name where to_regclass('bullmq.' || bullmq.job_id_seq_name(name)) is null",
        [queueNames],
      );
      return rows;
    });
    expect(missing).toEqual([]);
  });

  test("the queue's role has only rights on rows, and public has no rights", async () => {
    const rights = await asOwner<{ kind: string; grantee: string; rights: string }>(
      urls[kind],
      `
      with acls (kind, owner, acl) as (
        select 'schema', nspowner, coalesce(nspacl, acldefault('n', nspowner)) from pg_namespace where nspname = 'bullmq'
        union all
        select case when relkind = 'S' then 'sequence' when relname in ('migration', 'job') then relname else 'table' end,
               relowner, coalesce(relacl, acldefault(case relkind when 'S' then 's'::"char" else 'r' end, relowner))
          from pg_class where relnamespace = 'bullmq'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'f', 'S')
        union all
        select 'function', proowner, coalesce(proacl, acldefault('f', proowner)) from pg_proc
         where pronamespace = 'bullmq'::regnamespace
        union all
        select 'column', relowner, attacl from pg_attribute join pg_class c on c.oid = attrelid
         where relnamespace = 'bullmq'::regnamespace and attacl is not null
      )
      select kind, grantee, string_agg(privilege_type, ', ' order by privilege_type) as rights
        from (select distinct kind, case grantee when 0 then 'public' else pg_get_userbyid(grantee) end as grantee,
                     privilege_type || case when is_grantable then ' with grant option' else '' end as privilege_type
                from acls, aclexplode(acl) where grantee <> owner) as given
       group by kind, grantee
       order by kind, grantee
      `,
    );
    expect(rights.map(({ kind: on, grantee, rights: may }) => `${on}, ${grantee}: ${may}`)).toEqual([
      "function, realmpass_queue: EXECUTE",
      "job, realmpass_operator: SELECT",
      "job, realmpass_queue: DELETE, INSERT, SELECT, UPDATE",
      "migration, realmpass_queue: SELECT",
      "schema, realmpass_operator: USAGE",
      "schema, realmpass_queue: USAGE",
      "sequence, realmpass_queue: USAGE",
      "table, realmpass_queue: DELETE, INSERT, SELECT, UPDATE",
    ]);
  });

  test("the operator can look at tasks, but neither change them nor become the queue's role", async () => {
    await asOwner(urls[kind], `alter role realmpass_operator login password '${apiPassword}'`);
    const operator = Object.assign(new URL(urls[kind]), { username: "realmpass_operator", password: apiPassword });
    await asLogin(operator.href, async (client) => {
      await expect(client.query("select count(*) from bullmq.job")).resolves.toBeDefined();
      await expect(client.query("delete from bullmq.job")).rejects.toThrow(/permission denied/);
      await expect(client.query("set role realmpass_queue")).rejects.toThrow(/permission denied/);
      await expect(client.query("select bullmq.next_job_id('issuance')")).rejects.toThrow(/permission denied/);
    });
  });

  test("migrating again changes nothing and logs no warning", async () => {
    const schema = () => asOwner(urls[kind], "select oid from pg_namespace where nspname = 'bullmq'");
    const [before, catalogBefore] = [await schema(), await catalog(urls[kind])];
    await migrateAll(urls[kind], log);

    expect(await schema()).toEqual(before);
    expect(await catalog(urls[kind])).toEqual(catalogBefore);
    expect(log.warn).not.toHaveBeenCalled();
  });
});

describe("the upgrade of a database whose api could create objects in the queue's schema", () => {
  test("starts from a state in which objects planted by the api can become the worker and the owner", () => {
    expect(reached).toEqual([
      { current_user: "realmpass_worker", became: "realmpass_worker" },
      { current_user: "postgres", became: "postgres" },
    ]);
  });

  test("removes planted objects, and reports them", async () => {
    expect(upgradeLog).toEqual([
      [
        {
          event: "queue.schema_rebuilt",
          found: expect.arrayContaining([
            "function bullmq.planted() of realmpass_api",
            "right to create of realmpass_queue",
            "table bullmq.reached of realmpass_api",
            "trigger planted on table bullmq.job",
          ]) as string[],
        },
        expect.any(String),
      ],
      [
        expect.objectContaining({
          event: "database.grants_changed",
          revoked: ["revoke realmpass_queue from realmpass_operator granted by postgres"],
        }),
        expect.any(String),
      ],
    ]);
    expect(await asOwner(urls.upgraded, "select tgname from pg_trigger where tgname = 'planted'")).toEqual([]);
    expect((await catalog(urls.upgraded)).filter((line) => /planted|bullmq\.reached/.test(line))).toEqual([]);
  });

  test("keeps the schema of a database made by this version", async () => {
    const ofSchema = async (url: string) =>
      asOwner(
        url,
        `
        select relname as name, relkind::text as kind, relowner as owner, relacl::text as acl
          from pg_class where relnamespace = 'bullmq'::regnamespace and relkind <> 'i'
        union all
        select oid::regprocedure::text, 'function', proowner, proacl::text || md5(prosrc) || proconfig::text
          from pg_proc where pronamespace = 'bullmq'::regnamespace
        union all
        select nspname, 'schema', nspowner, nspacl::text from pg_namespace where nspname = 'bullmq'
        union all
        select relname || '.' || attname, 'column', relowner, attacl::text
          from pg_attribute join pg_class c on c.oid = attrelid
         where relnamespace = 'bullmq'::regnamespace and relkind = 'r' and attnum > 0
         order by 1, 2
        `,
      );
    expect(await ofSchema(urls.upgraded)).toEqual(await ofSchema(urls.fresh));
  });
});

test("migrating adds the parts that a renamed queue needs and keeps the tasks under its old name", async () => {
  const owner = (statement: string) => asOwner<{ count: number }>(urls.fresh, statement);
  const before = await catalog(urls.fresh);
  const [old] = await asOwner<{ name: string }>(urls.fresh, "select bullmq.job_id_seq_name('bulk') as name");
  const [renamed] = await asOwner<{ name: string }>(
    urls.fresh,
    "select bullmq.job_id_seq_name('bulk-job-rows') as name",
  );
  await owner(`alter sequence bullmq."${renamed?.name}" rename to "${old?.name}"`);
  await owner(
    "insert into bullmq.job (queue, id, seq, name, state, added_at_ms) values ('bulk', 'left', 1, 'work-job-rows', 'waiting', 0)",
  );
  log.warn = vi.fn();

  await migrateAll(urls.fresh, log);

  expect(log.warn).not.toHaveBeenCalled();
  expect(await owner("select count(*)::integer from bullmq.job where queue = 'bulk'")).toEqual([{ count: 1 }]);
  await owner(`delete from bullmq.job where queue = 'bulk'; drop sequence bullmq."${old?.name}"`);
  expect(await catalog(urls.fresh)).toEqual(before);
});

describe("a foreign object in the queue's schema is found and removed by migrating:", () => {
  const asQueue = (statement: string) => `
    grant create on schema bullmq to realmpass_queue;
    grant all on all tables in schema bullmq to realmpass_queue;
    set role realmpass_queue;
    ${statement};
    reset role;
    revoke create on schema bullmq from realmpass_queue
  `;
  test.each([
    ["a right to create", "grant create on schema bullmq to realmpass_queue"],
    ["everybody's right to create", "grant create on schema bullmq to public"],
    ["a schema of the queue's role", "alter schema bullmq owner to realmpass_queue"],
    ["a table", asQueue("create table bullmq.planted (id integer)")],
    ["a view", asQueue("create view bullmq.planted as select 1 as id")],
    ["a sequence", asQueue("create sequence bullmq.planted")],
    ["a function", asQueue("create function bullmq.hashtext(varchar) returns integer language sql as 'select 1'")],
    ["a type", asQueue("create type bullmq.planted as enum ('a')")],
    ["a domain", asQueue("create domain bullmq.planted as text check (value <> '')")],
    [
      "an operator",
      asQueue("create operator bullmq.= (function = pg_catalog.texteq, leftarg = text, rightarg = text)"),
    ],
    ["a collation", asQueue("create collation bullmq.planted (locale = 'C')")],
    ["a text search configuration", asQueue("create text search configuration bullmq.planted (copy = simple)")],
    ["default privileges", asQueue("alter default privileges in schema bullmq grant all on tables to public")],
    ["a table of the owner's, given away", "alter table bullmq.job owner to realmpass_queue"],
    [
      "a trigger",
      asQueue(
        "create trigger planted before insert on bullmq.job for each row execute function pg_catalog.suppress_redundant_updates_trigger()",
      ),
    ],
    ["a rule of the owner's", "create rule planted as on insert to bullmq.job do also notify planted"],
    ["a name made to deceive a terminal", asQueue('create table bullmq."\u001b[2Jplanted" (id integer)')],
  ])("%s", async (_, statement) => {
    const before = await catalog(urls.fresh);
    await asOwner(urls.fresh, statement);
    log.warn = vi.fn();

    await migrateAll(urls.fresh, log);

    expect(log.warn).toHaveBeenCalledTimes(1);
    const [{ found }] = log.warn.mock.calls[0] as [{ found: string[] }];
    expect(found.length).toBeGreaterThan(0);
    expect(found.join("")).toMatch(/^[ -~]+$/);
    expect(await catalog(urls.fresh)).toEqual(before);
  });
});
