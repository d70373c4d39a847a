import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { type Database } from "../../../db/client.ts";
import { findMissingGrants, findSurplusGrants } from "../../../db/grants.ts";
import { groupRoles } from "../../../db/rights.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { migrateAll } from "../../../operator/migrate/migrate.ts";
import { startEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { printGrants, printSchema } from "../../support/run/catalogue.ts";
import { openPatiently } from "../../support/run/database.ts";
import { copyDataDirectory } from "../../support/run/services.ts";

let db: Database;
let url: string;
const quiet = { info: () => undefined, warn: () => undefined };

/**
 * A server for this file alone, of the version that the service ships: other tests change roles, which belong to the
 * whole server.
 */
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-catalogue-"));
  await copyDataDirectory(directory);
  const server = await startEmbeddedPostgres({
    dataDirectory: directory,
    log: { info: () => undefined, error: () => undefined },
    searchPath: process.env["PATH"] ?? "",
  });
  atEndOfFile(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });
  url = server.url;
  await migrateAll(url, quiet);
  db = openPatiently({ url, connectionsMax: 1 });
  atEndOfFile(() => db.close());
});

test("db/schema.sql equals the result of the migrations: --update rewrites the file", async () => {
  await expect(await printSchema(db)).toMatchFileSnapshot(resolve("db/schema.sql"));
});

test("db/grants.md lists what the roles may do in a migrated database: --update rewrites the file", async () => {
  await expect(await printGrants(db)).toMatchFileSnapshot(resolve("db/grants.md"));
});

test("migrating gives the roles every right that db/rights.ts lists, and no other", async () => {
  const before = await printGrants(db);
  const roles = groupRoles.join(", ");
  for (const what of ["tables", "sequences", "routines"]) {
    await db.query(verbatim(`revoke all on all ${what} in schema public, bullmq from ${roles}`));
  }
  await db.query(verbatim(`revoke all on schema public, bullmq from ${roles}`));
  await db.query(sql`revoke realmpass_queue from realmpass_api, realmpass_worker`);
  expect(await printGrants(db)).not.toBe(before);
  await migrateAll(url, quiet);
  expect(await printGrants(db)).toBe(before);
});

test("a database whose roles have their rights needs no grant and no revocation", async () => {
  expect(await findMissingGrants(db)).toEqual([]);
  expect(await findSurplusGrants(db)).toEqual([]);
});

test("a right on one column is restored without a change to other rights", async () => {
  await db.query(sql`revoke update (lapsed) on certificates from realmpass_worker`);
  expect(await findMissingGrants(db)).toEqual(["grant UPDATE (lapsed) on public.certificates to realmpass_worker"]);
  await migrateAll(url, quiet);
  expect(await findMissingGrants(db)).toEqual([]);
});

test.each([
  ["grant select on issuer_keys to realmpass_api", "revoke SELECT on public.issuer_keys from realmpass_api cascade"],
  [
    "grant update (domain) on realms to realmpass_api",
    "revoke UPDATE (domain) on public.realms from realmpass_api cascade",
  ],
  ["grant select on users to public", "revoke SELECT on public.users from public cascade"],
  ["grant truncate on users to realmpass_worker", "revoke TRUNCATE on public.users from realmpass_worker cascade"],
  ["grant trigger on bullmq.job to realmpass_queue", "revoke TRIGGER on bullmq.job from realmpass_queue cascade"],
  ["grant select on bullmq.job to realmpass_api", "revoke SELECT on bullmq.job from realmpass_api cascade"],
  [
    "grant select on realms to realmpass_worker with grant option",
    "revoke SELECT on public.realms from realmpass_worker cascade",
  ],
  [
    "grant usage on sequence users_id_seq to realmpass_api",
    "revoke USAGE on sequence public.users_id_seq from realmpass_api cascade",
  ],
  ["grant create on schema public to public", "revoke CREATE on schema public from public cascade"],
  ["grant create on schema bullmq to realmpass_queue", "revoke CREATE on schema bullmq from realmpass_queue cascade"],
  [
    "grant execute on function mark_revoked() to public",
    "revoke EXECUTE on routine public.mark_revoked() from public cascade",
  ],
  ["grant realmpass_worker to realmpass_api", "revoke realmpass_worker from realmpass_api granted by postgres"],
  ["grant realmpass_queue to realmpass_operator", "revoke realmpass_queue from realmpass_operator granted by postgres"],
])("%s is found, and migrating removes it", async (given, taken) => {
  const before = await printGrants(db);
  await db.query(verbatim(given));
  expect(await findSurplusGrants(db)).toEqual([taken]);
  const warn = vi.fn();
  await migrateAll(url, { info: () => undefined, warn });

  expect(await printGrants(db)).toBe(before);
  // If others could create objects in the queue's schema, the upgrade rebuilds it; another test covers that.
  if (given.includes("create on schema bullmq")) return;
  expect(warn).toHaveBeenCalledWith(
    expect.objectContaining({ event: "database.grants_changed", revoked: [taken] }),
    expect.any(String),
  );
});

test("the service's roles own nothing and can grant nothing", async () => {
  const roles = groupRoles.map((role) => `'${role}'::regrole`).join(", ");
  expect(
    await db.query(
      verbatim(`select classid::regclass, objid from pg_shdepend where deptype = 'o' and refobjid in (${roles})`),
    ),
  ).toEqual([]);
  const held = await db.query<{ privilege: string }>(
    verbatim(`
      select distinct a.privilege_type as privilege
        from (select relacl as acl from pg_class union all select attacl from pg_attribute
              union all select nspacl from pg_namespace union all select proacl from pg_proc
              union all select datacl from pg_database) as acls, aclexplode(acl) a
       where a.grantee in (${roles}) and (a.is_grantable or a.privilege_type not in
             ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'USAGE', 'EXECUTE', 'CONNECT'))`),
  );
  expect(held).toEqual([]);
});

test("every function with the owner's rights belongs to the owner, has a search path, and is not public", async () => {
  const functions = await db.query<{ name: string; owner: string; path: string | null; everybody: boolean }>(sql`
    select p.oid::regprocedure::text as name, pg_get_userbyid(p.proowner) as owner,
           (select c from unnest(p.proconfig) as c where c like 'search\_path=%') as path,
           exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as everybody
      from pg_proc p
     where p.prosecdef and p.pronamespace in ('public'::regnamespace, 'bullmq'::regnamespace)
     order by 1
  `);
  expect(functions.length).toBeGreaterThan(5);
  for (const { name, ...rest } of functions) {
    expect({ name, ...rest }).toEqual({
      name,
      owner: "postgres",
      path: "search_path=public, pg_temp",
      everybody: false,
    });
  }
});
