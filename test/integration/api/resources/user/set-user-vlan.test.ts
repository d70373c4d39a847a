import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("a VLAN set by hand overrides the rules' VLAN and the realm's default, until it is set to null", async () => {
  const user = await given.user({ realmId: api.realmId });
  const admin = as.admin();
  const read = async () => (await admin.get(`/api/user/${user.id}/vlan`)).body.data;
  const none = { vlan: null, given: null, fromProvider: null, realmDefault: null };
  expect(await read()).toEqual(none);
  await api.database.owner.query(sql`update realms set vlan_default = '20' where id = ${api.realmId}`);
  expect(await read()).toEqual({ ...none, vlan: "20", realmDefault: "20" });
  await api.database.owner.query(
    sql`insert into user_vlans (user_id, realm_id, from_provider) values (${user.id}, ${api.realmId}, '30')`,
  );
  expect(await read()).toMatchObject({ vlan: "30" });
  for (const vlan of ["guests", "guests", "4094", null]) {
    const expected = { vlan: vlan ?? "30", given: vlan, fromProvider: "30", realmDefault: "20" };
    expect(await admin.put(`/api/user/${user.id}/vlan`, { vlan })).toMatchObject({
      status: 200,
      body: { data: expected },
    });
    expect(await read()).toEqual(expected);
  }
  const change = (before: string | null, after: string | null) => ({
    event: "user_vlan_update",
    properties: {
      before: { given: before, fromProvider: "30" },
      after: { given: after, fromProvider: "30" },
      source: "console",
    },
  });
  expect(await auditOf(api.database, "userID", user.id)).toMatchObject([
    change(null, "guests"),
    change("guests", "4094"),
    change("4094", null),
  ]);
  await api.database.owner.query(sql`update realms set vlan_default = null where id = ${api.realmId}`);
});

test.each(["0", "4095", "020", "", "a b", '30"', "30\n", "-", "x".repeat(33), 30])(
  "%j is not accepted as a VLAN",
  async (vlan) => {
    const user = await given.user({ realmId: api.realmId });
    expect(await as.admin().put(`/api/user/${user.id}/vlan`, { vlan })).toBeError("invalid_request");
    expect(await as.admin().put(`/api/user/${user.id}/vlan`, { vlan: "4094" })).toMatchObject({ status: 200 });
  },
);

test("a change with the ETag of an older version is refused", async () => {
  const user = await given.user({ realmId: api.realmId });
  const { headers } = await as.admin().get(`/api/user/${user.id}/vlan`);
  const condition = { headers: { "if-match": String(headers.etag) } };
  expect(await as.admin().put(`/api/user/${user.id}/vlan`, { vlan: "1" }, condition)).toMatchObject({ status: 200 });
  expect(await as.admin().put(`/api/user/${user.id}/vlan`, { vlan: "2" }, condition)).toBeError("precondition_failed");
});

test("a user's VLAN is erased when the user is forgotten", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  await api.database.owner.query(sql`update realms set forget_after_months = 1 where id = ${realmId}`);
  await as.admin({ realmId }).put(`/api/user/${user.id}/vlan`, { vlan: "30" });
  const rows = async (): Promise<number> =>
    (await api.database.owner.query(sql`select from user_vlans where user_id = ${user.id}`)).length;
  expect(await rows()).toBe(1);
  await api.database.owner.query(sql`update users set offboarded_at = now() - interval '1 year' where id = ${user.id}`);
  await api.database.owner.query(sql`select forget_users(array[${user.id}]::bigint[], now())`);
  expect(await rows()).toBe(0);
});
