import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import type { ProcessState } from "../../../../db/queries/upkeep/processes.ts";
import { sql, verbatim } from "../../../../db/sql.ts";
import { checkRoles } from "../../../../operator/doctor/database.ts";
import { checkConnections, checkLocks } from "../../../../operator/doctor/sessions.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { atEndOfFile } from "../../../support/run/at-end.ts";

const database = useDatabase();

/** Opens a session of another program. */
async function open(program: string, login?: { username: string; password: string }): Promise<pg.Client> {
  const { href } = Object.assign(new URL(database.url), login);
  const client = new pg.Client({ connectionString: href, application_name: program });
  await client.connect();
  atEndOfFile(() => client.end().catch(() => undefined));
  return client;
}

describe("locks", () => {
  test("a session that blocks other sessions is named with its table and a way to end the session", async () => {
    const db = database.open("realmpass_operator");
    const look = () => checkLocks(db, { lockSeconds: 0 });
    expect(await look()).toMatchObject({ status: "ok" });
    const [holder, waiter] = [await open("a report"), await open("an api")];
    const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
    await holder.query("begin; lock table users in access exclusive mode");
    const waiting = waiter.query("select count(*) from users");
    await eventually(async () => {
      expect(await look()).toMatchObject({
        status: "fail",
        message: expect.stringMatching(
          /^a report \(\w+, pid \d+\) holds a lock of users that 1 session waits for/,
        ) as string,
        remedy: expect.stringContaining(`pg_terminate_backend(${rows[0]!.pid})`) as string,
      });
    });
    await holder.query("rollback");
    await waiting;
    expect(await look()).toMatchObject({ status: "ok" });
  });

  test("an idle open transaction is a warning if doctor's login may see it; otherwise the report omits the transaction", async () => {
    const idle = await open("a console");
    await idle.query("begin; select 1");
    const asOperator = await checkLocks(database.open("realmpass_operator"), { idleSeconds: 0 });
    expect(asOperator).toMatchObject({ status: "ok", message: "nobody waits for a lock" });
    expect(await checkLocks(database.owner, { idleSeconds: 0 })).toMatchObject({
      status: "warn",
      message: expect.stringContaining("a console") as string,
    });
    await idle.query("commit");
    expect((await checkLocks(database.owner, { idleSeconds: 0 })).message).not.toContain("a console");
  });
});

describe("connections", () => {
  const states = (connectionsMax: number) => [{ alive: true, connectionsMax } as ProcessState];
  let max: number;
  beforeAll(async () => {
    const [row] = await database.owner.query<{ max: number }>(
      sql`select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as max`,
    );
    max = row!.max;
  });

  test("other programs that use up connections which the processes may need are named", async () => {
    const db = database.open("realmpass_operator");
    expect(await checkConnections(db, states(1))).toMatchObject({ status: "ok" });
    await Promise.all(Array.from({ length: 11 }, () => open("a report generator")));
    expect(await checkConnections(db, states(max - 10))).toMatchObject({
      status: "warn",
      message: expect.stringMatching(/other programs have \d+ of them \(.*a report generator/) as string,
    });
  });
});

describe("roles", () => {
  test("a connected login that has lost its role is named, with the statement that grants it again", async () => {
    const db = database.open("realmpass_operator");
    const login = `dismissed_${process.pid}`;
    await database.owner.query(verbatim(`create role ${login} login password 'x' in role realmpass_api`));
    const client = await open("realmpass api", { username: login, password: "x" });
    expect(await checkRoles(db, "hand")).toMatchObject({ status: "ok" });
    await database.owner.query(verbatim(`revoke realmpass_api from ${login}`));
    expect(await checkRoles(db, "hand")).toMatchObject({
      status: "fail",
      message: `${login} is not a member of realmpass_api`,
      remedy: expect.stringContaining(`grant realmpass_api to ${login}`) as string,
    });
    await client.end();
    await database.owner.query(verbatim(`drop role ${login}`));
  });
});
