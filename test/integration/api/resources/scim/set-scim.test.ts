import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { givenDirectory } from "../../../../support/given/directory.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

const updates = (realmId: string) =>
  api.database.owner.query(sql`
    select properties from audit_entries where realm_id = ${realmId} and event = 'realm_update' order by id
  `);

test("each setting can be changed alone; only a change is recorded", async () => {
  const realmId = await given.realm();
  const admin = as.admin({ realmId });
  const put = async (body: object) => {
    expect(await admin.put("/api/scim", body)).toMatchObject({ status: 200 });
  };
  await put({ newPeople: "scim" });
  await put({ pairwise: "userName" });
  await put({ pairwise: "userName", newPeople: "scim" });
  expect((await admin.get("/api/scim")).body.data).toMatchObject({ pairwise: "userName", newPeople: "scim" });
  expect(await updates(realmId)).toEqual([
    { properties: { before: { newPeople: "sign-in" }, after: { newPeople: "scim" } } },
    { properties: { before: { scimPairwise: "externalId" }, after: { scimPairwise: "userName" } } },
  ]);
});

test("once a directory has added a person, deleted or not, only the setting for new people can be changed", async () => {
  const directory = await givenDirectory(api);
  const admin = as.admin({ realmId: directory.realmId });
  const id = await directory.person();
  expect(await admin.put("/api/scim", { pairwise: "userName", newPeople: "scim" })).toBeError("pairwise_in_use");
  await directory.scim.delete(`/Users/${id}`);
  expect(await admin.put("/api/scim", { pairwise: "userName" })).toBeError("pairwise_in_use");
  expect((await admin.get("/api/scim")).body.data).toMatchObject({ pairwise: "externalId", newPeople: "sign-in" });
  expect(await updates(directory.realmId)).toEqual([]);
  expect((await admin.put("/api/scim", { pairwise: "externalId", newPeople: "scim" })).status).toBe(200);
});

test.each([{}, { pairwise: "email" }, { newPeople: "nobody" }, { pairwise: null }])(
  "a request with %j is refused",
  async (body) => {
    expect(await as.admin().put("/api/scim", body)).toBeError("invalid_request");
  },
);
