import { beforeAll, expect, onTestFinished, test } from "vitest";
import { sql, verbatim } from "../../../../db/sql.ts";
import type { Check } from "../../../../operator/doctor/check.ts";
import { useOperator } from "../../../support/service/test-operator.ts";

const operator = useOperator();
const owner = () => operator.database.owner;

/** Changes that a newer release might make, each to a part that one check compares with this version. */
const changes = `
  create table later (id integer);
  grant select on later to realmpass_api;
  create trigger later before insert on audit_entries for each statement execute function refuse_change();
  create trigger later before insert on bullmq.job for each statement execute function refuse_change();
  revoke select on jobs from realmpass_operator;
`;
const affected = ["audit-guards", "jobs", "queue-schema", "roles"];
const newer = "29990101-0000-newer";
const forget = () => owner().query(sql`delete from knex_migrations where name = ${newer}`);
async function record(): Promise<void> {
  onTestFinished(async () => {
    await forget();
  });
  await owner().query(sql`insert into knex_migrations (name, batch, migration_time) values (${newer}, 1, now())`);
}

async function examine(): Promise<Check[]> {
  const { json } = await operator.run(["doctor", "--realm", await operator.anyRealm()]);
  return json["checks"] as Check[];
}
const statusesIn = (checks: readonly Check[]): Record<string, string> =>
  Object.fromEntries(checks.filter(({ name }) => affected.includes(name)).map(({ name, status }) => [name, status]));

beforeAll(async () => {
  expect(statusesIn(await examine())).toEqual(Object.fromEntries(affected.map((name) => [name, "ok"])));
  await owner().query(verbatim(changes));
});

test("changes made by a newer release fail only in the queue's schema, and every remedy names that release's doctor", async () => {
  await record();
  const checks = await examine();
  await forget();
  // Code in the queue's schema runs with the rights of every process.
  expect(statusesIn(checks)).toEqual({ "audit-guards": "warn", jobs: "warn", "queue-schema": "fail", roles: "warn" });
  for (const name of [...affected, "migrations"]) {
    expect(checks).toContainEqual(
      expect.objectContaining({
        name,
        remedy: "Run the doctor of the release that migrated the database: docs/upgrade.md#going-back.",
      }),
    );
  }
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: "migrations",
      status: "warn",
      message: `of a newer version than this program: ${newer}; what these changed is not looked at`,
    }),
  );
  expect(checks.find(({ name }) => name === "audit-guards")?.message).toContain("The trigger later of audit_entries");

  // Control: on a database of this version, the same changes fail.
  expect(statusesIn(await examine())).toEqual(Object.fromEntries(affected.map((name) => [name, "fail"])));
});

test("`audit verify` reports guards that a newer release changed, and that only that release can judge them", async () => {
  const verify = async (): Promise<string[]> => {
    const { code, json } = await operator.run(["audit", "verify", "--realm", await operator.anyRealm()]);
    expect(code).toBe(1);
    return (json["guards"] as { message: string }[]).map(({ message }) => message);
  };
  const leaves = expect.stringContaining("only `audit verify` of that version can judge") as string;
  await record();
  expect(await verify()).toContainEqual(leaves);
  await forget();
  expect(await verify()).not.toContainEqual(leaves);
});

test("for a database that lacks a migration and has a newer migration, the remedy is the release that migrated it", async () => {
  const migrations = async () => (await examine()).find(({ name }) => name === "migrations");
  const [lacking] = await owner().query<{ name: string }>(sql`
    delete from knex_migrations where id = (select max(id) from knex_migrations) returning name
  `);
  expect(await migrations()).toMatchObject({ status: "fail", remedy: expect.stringContaining("migrate`") as string });
  await record();
  expect(await migrations()).toMatchObject({
    status: "fail",
    message: `not run yet: ${lacking!.name}; of a newer version: ${newer}`,
    remedy: "Run the release that migrated the database: docs/upgrade.md.",
  });
  await owner().query(
    sql`insert into knex_migrations (name, batch, migration_time) values (${lacking!.name}, 1, now())`,
  );
});
