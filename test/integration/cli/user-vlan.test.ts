import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { useApi } from "../../support/service/api.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";
import type { GivenUser } from "../../support/given/given.ts";

const api = useApi();
const realm = useCliRealm(api);
const { cli } = realm;
let user: GivenUser;

beforeAll(async () => {
  user = await realm.user({ pairwiseId: "quinn@north" });
});

const vlan = (...more: string[]) => cli(["users", "vlan", "quinn@north", ...more]);
const changes = async (): Promise<unknown[]> =>
  api.database.owner.query(sql`select id from audit_entries where event = 'user_vlan_update'`);

test("a person's VLAN is shown with its source, can be set by hand, and can be reset to the realm's rules", async () => {
  const { owner } = api.database;
  expect((await vlan()).out).toBe("quinn@north: no VLAN; the RADIUS server decides.\n");
  await owner.query(sql`update realms set vlan_default = '20' where id = ${user.realmId}`);
  expect((await vlan()).out).toBe("quinn@north: VLAN 20, the realm's default.\n");
  await owner.query(sql`
    insert into user_vlans (user_id, realm_id, from_provider) values (${user.id}, ${user.realmId}, '40')
  `);
  expect((await vlan()).out).toBe("quinn@north: VLAN 40, by the realm's rules.\n");
  expect(await changes()).toEqual([]);

  expect((await vlan("30")).out).toBe("quinn@north: VLAN 30, set by hand.\n");
  expect(JSON.parse((await vlan("staff-wifi", "--json")).out)).toEqual({
    vlan: "staff-wifi",
    given: "staff-wifi",
    fromProvider: "40",
    realmDefault: "20",
  });
  expect((await vlan("by-rule")).out).toBe("quinn@north: VLAN 40, by the realm's rules.\n");
  expect(await changes()).toHaveLength(3);
});

test("an invalid VLAN or an unknown person is an error and changes nothing", async () => {
  const before = await changes();
  for (const no of ["0", "4095", "30 40", "none"]) expect(await vlan(no)).toMatchObject({ code: 2, out: "" });
  expect((await vlan("none")).err).toContain("must be a VLAN, or by-rule");
  expect(await cli(["users", "vlan", "nobody@north", "30"])).toMatchObject({ code: 1, out: "" });
  expect(await changes()).toEqual(before);
});
