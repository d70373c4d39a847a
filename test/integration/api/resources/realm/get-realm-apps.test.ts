import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/realm/apps";

test("a new realm has no apps, names nothing, and its address can be read", async () => {
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

test("the operator's command is there once the console cannot change the names of the servers", async () => {
  const realmId = await given.realm();
  await api.database.owner.query(sql`update realms set radius_names = '{a.example,b.example}' where id = ${realmId}`);
  const { body } = await as.service({ realmId }).get(path);
  expect(body.data.locked.radiusNames).toMatch(
    /^npm run operator -- realm set --realm \S+ --radius-name a\.example --radius-name b\.example$/,
  );
});
