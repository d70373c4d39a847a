import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openDatabase, type Database } from "../../../db/client.ts";
import { findMissingGrants } from "../../../db/grants.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { migrateAll } from "../../../operator/migrate/migrate.ts";
import { startEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { printGrants, printSchema } from "../../support/run/catalogue.ts";
import { copyDataDirectory } from "../../support/run/services.ts";

let db: Database;
let url: string;

/** A server of its own, of the version that the service brings along: other tests change roles, which belong to the whole server. */
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-catalogue-"));
  await copyDataDirectory(directory);
  const quiet = { info: () => undefined, error: () => undefined };
  const server = await startEmbeddedPostgres({
    dataDirectory: directory,
    log: quiet,
    searchPath: process.env["PATH"] ?? "",
  });
  atEndOfFile(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });
  url = server.url;
  await migrateAll(url);
  db = openDatabase({ url, connectionsMax: 1, applicationName: "realmpass test" });
  atEndOfFile(() => db.close());
});

test("db/schema.sql is what the migrations make: --update writes it", async () => {
  await expect(await printSchema(db)).toMatchFileSnapshot(resolve("db/schema.sql"));
});

test("db/grants.md is what the roles may do in a migrated database: --update writes it", async () => {
  await expect(await printGrants(db)).toMatchFileSnapshot(resolve("db/grants.md"));
});

test("migrating gives the roles every right that db/grants.ts lists, and no other", async () => {
  const before = await printGrants(db);
  const roles = "realmpass_api, realmpass_worker, realmpass_responder, realmpass_operator";
  for (const what of [
    "all on all tables in schema public",
    "all on all functions in schema public",
    "all on schema public",
  ]) {
    await db.query(verbatim(`revoke ${what} from ${roles}`));
  }
  expect(await printGrants(db)).not.toBe(before);
  await migrateAll(url);
  expect(await printGrants(db)).toBe(before);
});

test("a database whose roles have their rights gets no statement", async () => {
  expect(await findMissingGrants(db)).toEqual([]);
});

test("a right on one column is given again without touching the others", async () => {
  await db.query(sql`revoke update (lapsed) on certificates from realmpass_worker`);
  expect(await findMissingGrants(db)).toEqual(["grant UPDATE (lapsed) on certificates to realmpass_worker"]);
  await migrateAll(url);
  expect(await findMissingGrants(db)).toEqual([]);
});
