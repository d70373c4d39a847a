import { beforeAll, describe, expect, test } from "vitest";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../db/sql.ts";
import { entriesAbout, givenDirectory, type GivenDirectory } from "../../../support/given/directory.ts";
import { useApi } from "../../../support/service/api.ts";

/** A realm's rules treat the SCIM attributes that the realm names as claims. */

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const api = useApi();

let directory: GivenDirectory;
beforeAll(async () => {
  directory = await givenDirectory(api);
  await realms.update(api.database.owner, directory.realmId, {
    vlanRules: [
      { claim: "department", value: "IT", vlan: "30" },
      { claim: "department", value: "Physics", vlan: "40" },
    ],
    upstreamClaims: { mayUse: [{ claim: "affiliation", value: "staff" }] },
    scimAttributes: [
      { claim: "department", path: `${enterprise}:department` },
      { claim: "affiliation", path: "roles" },
    ],
  });
});

interface Decided {
  vlan: string | null;
  permitted: boolean;
}
async function decidedOf(id: string): Promise<Decided | undefined> {
  const [row] = await api.database.owner.query<Decided>(sql`
    select v.from_provider as vlan, u.not_permitted_since is null as permitted
      from users u left join user_vlans v on v.user_id = u.id where u.id = ${id}
  `);
  return row;
}
const changesOf = async (id: string) => (await entriesAbout(api, id)).map(({ properties }) => properties["changed"]);

const roles = [{ value: "staff", type: "eduPersonAffiliation" }];

test("a new person gets a VLAN and permission from their attributes, and SCIM returns the attributes as sent", async () => {
  const id = await directory.person({ roles, [enterprise]: { department: "IT", costCenter: "7" } });
  expect(await decidedOf(id)).toEqual({ vlan: "30", permitted: true });

  const { body } = await directory.scim.get(`/Users/${id}`);
  expect(body).toMatchObject({ roles, [enterprise]: { department: "IT" } });
  expect(body[enterprise]).not.toHaveProperty("costCenter");
  expect(body.schemas).toContain(enterprise);
  const only = await directory.scim.get(`/Users/${id}?attributes=${enterprise}:department`);
  expect(Object.keys(only.body).sort()).toEqual(["id", "schemas", enterprise].sort());
  const without = await directory.scim.get(`/Users/${id}?excludedAttributes=${enterprise}:department,roles`);
  expect(without.body).not.toHaveProperty(enterprise);
  expect(without.body).not.toHaveProperty("roles");
});

test("a person without these attributes gets no VLAN and may not use the realm", async () => {
  expect(await decidedOf(await directory.person())).toEqual({ vlan: null, permitted: false });
});

const moves: [string, unknown][] = [
  ["by path", { op: "Replace", path: `${enterprise}:department`, value: "Physics" }],
  ["by path in another case", { op: "add", path: `${enterprise.toUpperCase()}:DEPARTMENT`, value: "Physics" }],
  ["below its schema", { op: "replace", value: { [enterprise]: { department: "Physics" } } }],
  ["with its whole path as the key", { op: "replace", value: { [`${enterprise}:department`]: "Physics" } }],
  ["as a list of one", { op: "replace", path: `${enterprise}:department`, value: [{ value: "Physics" }] }],
];
test.each(moves)("a new value sent %s takes effect immediately; a repeat changes nothing", async (_, operation) => {
  const id = await directory.person({ roles, [enterprise]: { department: "IT" } });
  const first = await directory.patch(id, operation);
  expect(first.status, first.text).toBe(200);
  expect(await decidedOf(id)).toEqual({ vlan: "40", permitted: true });
  const again = await directory.patch(id, operation);
  expect(again.body.meta).toEqual(first.body.meta);
  expect(await changesOf(id)).toEqual([undefined, ["attributes", "vlan"]]);
});

describe("a value is removed", () => {
  const removals: [string, unknown][] = [
    ["by path", { op: "remove", path: "roles" }],
    ["by path with a null value", { op: "remove", path: "roles", value: null }],
    ["by path with an empty list", { op: "remove", path: "roles", value: [] }],
    ["by an empty list", { op: "replace", path: "roles", value: [] }],
    ["by null", { op: "replace", value: { roles: null } }],
  ];
  test.each(removals)("%s", async (_, operation) => {
    const id = await directory.person({ roles });
    expect((await directory.patch(id, operation)).status).toBe(200);
    expect(await decidedOf(id)).toEqual({ vlan: null, permitted: false });
    expect(await changesOf(id)).toEqual([undefined, ["attributes", "permitted"]]);
  });

  test("with its extension", async () => {
    const id = await directory.person({ roles, [enterprise]: { department: "IT" } });
    expect((await directory.patch(id, { op: "remove", path: enterprise })).status).toBe(200);
    expect(await decidedOf(id)).toEqual({ vlan: null, permitted: true });
  });
});

test("values added to a list are appended to its existing values", async () => {
  const id = await directory.person({ roles: [{ value: "guest" }] });
  expect(await decidedOf(id)).toMatchObject({ permitted: false });
  const { body } = await directory.patch(id, { op: "add", path: "roles", value: roles });
  expect(body.roles).toEqual([{ value: "guest" }, ...roles]);
  expect(await decidedOf(id)).toMatchObject({ permitted: true });
});

test.each([
  [{ op: "replace", path: "roles", value: 7 }, "invalidValue"],
  [{ op: "replace", path: `${enterprise}:department`, value: { name: "IT" } }, "invalidValue"],
  [{ op: "remove", path: `roles[value eq "staff"]` }, "invalidPath"],
  [{ op: "remove", path: "roles", value: [{ value: "staff" }] }, "invalidValue"],
  [{ op: "Remove", path: "urn:ietf:params:scim:schemas:core:2.0:User:Roles", value: "staff" }, "invalidValue"],
  [{ op: "remove", path: enterprise, value: { department: "IT" } }, "invalidValue"],
  [{ op: "replace", path: "roles.value", value: "staff" }, "invalidPath"],
])("the operation %j is refused, and the person stays as they are", async (operation, scimType) => {
  const id = await directory.person({ roles });
  expect(await directory.patch(id, operation)).toMatchObject({ status: 400, body: { scimType } });
  expect(await decidedOf(id)).toEqual({ vlan: null, permitted: true });
});

test("a removal of values from an attribute that the service does not keep changes nothing", async () => {
  const id = await directory.person({ roles });
  const operation = { op: "remove", path: "entitlements", value: [{ value: "staff" }] };
  expect((await directory.patch(id, operation)).status).toBe(200);
  expect(await decidedOf(id)).toEqual({ vlan: null, permitted: true });
});

const many = Array.from({ length: 100 }, (_, index) => ({ value: `value-${index}` }));

test("a list holds up to a hundred values", async () => {
  const id = await directory.person({ roles: many });
  expect((await directory.patch(id, { op: "add", path: "roles", value: many })).status).toBe(200);
  const beyond = await directory.patch(id, { op: "add", path: "roles", value: roles });
  expect(beyond).toMatchObject({ status: 400, body: { scimType: "invalidValue" } });
  expect((await directory.scim.get(`/Users/${id}`)).body.roles).toHaveLength(100);
});

test.each([
  [{ op: "replace", path: "roles", value: 7 }],
  [{ op: "replace", path: "roles.value", value: "staff" }],
  [{ op: "remove", path: `roles[value eq "staff"]` }],
  [{ op: "remove", path: "roles", value: [{ value: "staff" }] }],
  [{ op: "add", path: "roles", value: roles }],
])("a person is offboarded even if the same request contains %j", async (operation) => {
  const id = await directory.person({ roles: many });
  const answer = await directory.patch(id, operation, { op: "replace", path: "active", value: false });
  expect(answer).toMatchObject({ status: 200, body: { active: false } });
});

test("an extension without a version in its name is read below its schema, and can be requested by attribute", async () => {
  const schema = "urn:uni:staff";
  const own = await givenDirectory(api);
  await realms.update(api.database.owner, own.realmId, {
    vlanRules: [{ claim: "unit", value: "lab", vlan: "50" }],
    scimAttributes: [{ claim: "unit", path: `${schema}:unit.name` }],
  });
  const id = await own.person({ [schema]: { unit: { name: "lab" } } });
  expect(await decidedOf(id)).toMatchObject({ vlan: "50" });
  const { body } = await own.scim.get(`/Users/${id}?attributes=${schema}:unit`);
  expect(body).toEqual({ schemas: expect.any(Array), id, [schema]: { unit: { name: "lab" } } });
});

test("attributes that the realm does not name are dropped", async () => {
  const other = await givenDirectory(api);
  const id = await other.person({ roles, [enterprise]: { department: "IT" } });
  expect((await other.scim.get(`/Users/${id}`)).body).not.toHaveProperty("roles");
  expect(await decidedOf(id)).toEqual({ vlan: null, permitted: true });
});
