import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/realm/apps";

test("a new realm has no apps and empty settings, and the response contains its address for apps", async () => {
  const realmId = await given.realm();
  const [realm] = await api.database.owner.query<{ name: string }>(sql`select name from realms where id = ${realmId}`);
  const { status, body } = await as.service({ realmId }).get(path);
  expect(status).toBe(200);
  expect(body.data).toEqual({
    onboardingApps: false,
    appsListing: "",
    radiusNames: [],
    rcois: [],
    helpMail: "",
    helpPhone: "",
    reminderLead: 0,
    keyTypes: {},
    appsURL: expect.stringMatching(new RegExp(`^https?://[^/]+/letswifi/${realm!.name}/$`)),
    locked: {},
  });
});

test("the response has the operator's command once the servers' names cannot be changed in the console", async () => {
  const realmId = await given.realm();
  await api.database.owner.query(sql`update realms set radius_names = '{a.example,b.example}' where id = ${realmId}`);
  const { body } = await as.service({ realmId }).get(path);
  expect(body.data.locked.radiusNames).toMatch(
    /^npm run operator -- realm set --realm \S+ --radius-name a\.example --radius-name b\.example$/,
  );
});
