import { expect, test } from "vitest";
import { guardBoundary } from "../../../process/boundary.ts";
import { verbatim } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { silentLog } from "../../support/service/worker.ts";

const database = useDatabase();

const nothing = (): void => undefined;

const guard = (url: string, { warn = nothing, report = nothing } = {}): Promise<void> =>
  guardBoundary({
    role: "realmpass_responder",
    config: { REALMPASS_DATA_DIRECTORY: "/nonexistent", REALMPASS_BOUNDARY: "warn" },
    database: { url, connectionsMax: 1, applicationName: "realmpass test" },
    beat: { report },
    log: Object.assign(Object.create(silentLog) as typeof silentLog, { warn }),
  });

test("a bug in the login check is thrown, and not retried", async () => {
  const broken = () => {
    throw new RangeError("a bug");
  };
  await expect(guard(database.url, { report: broken })).rejects.toThrow("a bug");
  await expect(guard(database.url)).resolves.toBeUndefined();
});

test("the process waits for a database that does not exist yet", async () => {
  const url = new URL(database.url);
  const name = `${url.pathname.slice(1)}_later`;
  let waits = 0;
  const guarded = guard(Object.assign(url, { pathname: `/${name}` }).href, { warn: () => (waits += 1) });
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
