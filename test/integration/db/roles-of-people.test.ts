import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { only, violates, type Database } from "../../../db/client.ts";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import { sql, type Sql } from "../../../db/sql.ts";
import { roles } from "../../../domain/people/roles.ts";
import { givenRows, type GivenUser } from "../../support/given/given.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let api: Database;
let worker: Database;
let operator: Database;

beforeAll(() => {
  api = database.open("realmpass_api", { connectionsMax: 1 });
  worker = database.open("realmpass_worker", { connectionsMax: 1 });
  operator = database.open("realmpass_operator", { connectionsMax: 1 });
});

const stored = async ({ id }: { id: string }) =>
  only(
    await database.owner.query(sql`
      select administrator, roles, provider_roles as "providerRoles" from users where id = ${id}
    `),
  );

/** Makes a realm with another administrator. */
const givenRealm = async (): Promise<string> => {
  const realmId = await given.realm();
  await given.user({ realmId, administrator: true });
  return realmId;
};

describe("the previous release, which only knows the column administrator", () => {
  const write = (user: GivenUser, administrator: boolean) =>
    api.query(sql`update users set administrator = ${administrator} where id = ${user.id}`);

  test("can make a user an administrator and remove the role, whether assigned in the realm or by the provider", async () => {
    const user = await given.user({ realmId: await givenRealm(), roles: ["auditor"] });
    await write(user, true);
    expect(await stored(user)).toEqual({ administrator: true, roles: ["auditor", "administrator"], providerRoles: [] });
    await api.query(sql`update users set provider_roles = '{administrator}' where id = ${user.id}`);
    await write(user, true);
    await write(user, false);
    expect(await stored(user)).toEqual({ administrator: false, roles: ["auditor"], providerRoles: [] });
  });

  test("can create administrators", async () => {
    const [user] = await api.query<{ id: string }>(sql`
      insert into users (realm_id, pairwise_id, email, administrator, created_at)
      values (${await givenRealm()}, ${randomBytes(9).toString("hex")}, '', true, now()) returning id
    `);
    expect(await stored(user!)).toEqual({ administrator: true, roles: ["administrator"], providerRoles: [] });
  });

  test("reads in the column whether a person is an administrator, whatever the source of the role", async () => {
    const user = await given.user({ realmId: await givenRealm() });
    await api.query(sql`update users set provider_roles = '{administrator}' where id = ${user.id}`);
    expect(await stored(user)).toMatchObject({ administrator: true });
    await api.query(sql`update users set provider_roles = '{}', roles = '{help_desk}' where id = ${user.id}`);
    expect(await stored(user)).toMatchObject({ administrator: false });
  });
});

test("a worker cannot assign roles, and no process can assign an unknown role", async () => {
  const user = await given.user({ realmId: await givenRealm() });
  for (const column of [sql`roles`, sql`provider_roles`, sql`administrator`]) {
    const value = column.text === "administrator" ? sql`true` : sql`'{administrator}'`;
    await expect(worker.query(sql`update users set ${column} = ${value} where id = ${user.id}`)).rejects.toThrow(
      /permission denied/,
    );
  }
  for (const db of [api, operator]) {
    await expect(db.query(sql`update users set roles = '{root}' where id = ${user.id}`)).rejects.toThrow(
      /users_known_roles/,
    );
  }
  await operator.query(sql`update users set roles = ${roles} where id = ${user.id}`);
});

describe("the last administrator", () => {
  const ways: [string, (id: string) => Sql][] = [
    ["the roles", (id) => sql`update users set roles = '{}' where id = ${id}`],
    ["the column of the release before", (id) => sql`update users set administrator = false where id = ${id}`],
    ["an offboarding", (id) => sql`update users set offboarded_at = now() where id = ${id}`],
  ];

  const refused = async (attempt: Promise<unknown>): Promise<boolean> =>
    attempt.then(
      () => false,
      (error: unknown) => violates(error, userRoles.keepsAnAdministrator),
    );

  test.each(ways)("is not removed from a realm by %s", async (_, by) => {
    const { id } = await given.user({ realmId: await given.realm(), administrator: true });
    expect(await refused(api.query(by(id)))).toBe(true);
  });

  test("is not removed by a worker's statement that offboards every user of the realm", async () => {
    const realmId = await givenRealm();
    await given.user({ realmId, administrator: true });
    expect(await refused(worker.query(sql`update users set offboarded_at = now() where realm_id = ${realmId}`))).toBe(
      true,
    );
  });

  test.each(ways)("is removed by the operator, with %s", async (_, by) => {
    const { id } = await given.user({ realmId: await given.realm(), administrator: true });
    await operator.query(by(id));
    const removed = sql`select from users where id = ${id} and (not administrator or offboarded_at is not null)`;
    expect(await database.owner.query(removed)).toHaveLength(1);
  });

  test("of one realm does not protect the last administrator of another", async () => {
    await givenRealm();
    const { id } = await given.user({ realmId: await given.realm(), administrator: true });
    expect(await refused(api.query(sql`update users set roles = '{}' where id = ${id}`))).toBe(true);
  });
});
