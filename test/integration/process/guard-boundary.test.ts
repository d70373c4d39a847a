import { expect, test } from "vitest";
import { guardBoundary } from "../../../process/boundary.ts";
import { verbatim } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { silentLog } from "../../support/service/worker.ts";

const database = useDatabase();

const guard = (url: string, warn: () => void = () => undefined): Promise<void> =>
  guardBoundary({
    role: "realmpass_responder",
    config: { REALMPASS_DATA_DIRECTORY: "/nonexistent", REALMPASS_BOUNDARY: "warn" },
    database: { url, connectionsMax: 1, applicationName: "realmpass test" },
    beat: { report: () => undefined },
    log: Object.assign(Object.create(silentLog) as typeof silentLog, { warn }),
  });

test("a bug in checking the login is thrown, and not retried", async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.owner.query(verbatim("create schema other"));
  await database.owner.query(verbatim("create view other.pg_roles as select 1 as unlike_what_is_read"));
  await database.owner.query(verbatim("grant usage on schema other to public"));
  await database.owner.query(verbatim("grant select on other.pg_roles to public"));
  await database.owner.query(verbatim(`alter database ${name} set search_path = other, pg_catalog, public`));
  await expect(guard(database.url)).rejects.toMatchObject({ code: "42703" });
  await database.owner.query(verbatim(`alter database ${name} reset search_path`));
  await expect(guard(database.url)).resolves.toBeUndefined();
});

test("the process waits for a database that does not exist yet", async () => {
  const url = new URL(database.url);
  const name = `${url.pathname.slice(1)}_later`;
  let waits = 0;
  const guarded = guard(Object.assign(url, { pathname: `/${name}` }).href, () => (waits += 1));
  await eventually(() => {
    expect(waits).toBe(1);
  });
  await database.owner.query(verbatim(`create database ${name}`));
  try {
    await expect(guarded).resolves.toBeUndefined();
  } finally {
    await database.owner.query(verbatim(`drop database ${name} with (force)`));
  }
});
