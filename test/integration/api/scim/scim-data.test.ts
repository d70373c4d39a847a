import { expect, test } from "vitest";
import { sql, verbatim } from "../../../../db/sql.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { forgetPeople } from "../../../../worker/upkeep/forget-people.ts";
import { givenDirectory } from "../../../support/given/directory.ts";
import { useApi } from "../../../support/service/api.ts";
import { silentLog } from "../../../support/service/worker.ts";

const api = useApi();
const { as, given } = api;

test("a person's export contains the directory's data about them, and null for a person without a directory", async () => {
  const directory = await givenDirectory(api, { realmId: api.realmId });
  const id = await directory.person({ userName: "ada@example.org", externalId: "object-7" });
  const exported = JSON.parse((await as.admin().get(`/api/user/${id}/export`)).text) as Record<string, unknown>;
  expect(exported["directory"]).toMatchObject({
    connection: directory.clientId,
    userName: "ada@example.org",
    externalId: "object-7",
    active: true,
    deletedAt: null,
  });
  const other = await given.user({ realmId: api.realmId });
  expect(JSON.parse((await as.admin().get(`/api/user/${other.id}/export`)).text)).toMatchObject({ directory: null });
});

test("nothing is left of a forgotten person; their id gets 404, and a POST with their names creates a new person", async () => {
  const directory = await givenDirectory(api);
  const { owner } = api.database;
  const names = { userName: "unforgettable-name", externalId: "unforgettable-id" };
  const id = await directory.person(names);
  const control = await directory.person();
  await directory.deactivate(id);
  await directory.deactivate(control);
  const job = await given.job({ realmId: directory.realmId, state: "completed_with_errors" });
  await owner.query(
    sql`update job_rows set input = array['Unforgettable-Name'], pairwise_id = null where job_id = ${job}`,
  );
  await owner.query(sql`update realms set forget_after_months = 1 where id = ${directory.realmId}`);
  await owner.query(sql`update users set offboarded_at = now() - interval '2 months' where id = ${id}`);
  await forgetPeople({ db: api.database.open("realmpass_worker"), clock: systemClock, log: silentLog });

  const left = await owner.query<{ id: string }>(
    sql`select user_id as id from scim_users where realm_id = ${directory.realmId}`,
  );
  expect(left).toEqual([{ id: control }]);
  const [row] = await owner.query<{ input: (string | null)[] }>(sql`select input from job_rows where job_id = ${job}`);
  expect(row?.input).toEqual([null]);
  expect(await directory.scim.get(`/Users/${id}`)).toMatchObject({ status: 404 });
  expect(await directory.deactivate(id)).toMatchObject({ status: 404 });
  const tables = await owner.query<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  expect(tables.map(({ name }) => name)).toContain("scim_users");
  for (const { name } of tables) {
    const found = await owner.query(verbatim(`select from ${name} t where t::text ilike '%unforgettable%'`, []));
    expect({ name, rows: found.length }).toEqual({ name, rows: 0 });
  }
  const again = await directory.person(names);
  expect(again).not.toBe(id);
});
