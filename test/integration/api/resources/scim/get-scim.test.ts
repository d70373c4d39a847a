import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { givenDirectory } from "../../../../support/given/directory.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("a realm without a directory returns its settings, and no people", async () => {
  const realmId = await given.realm();
  await given.application({ realmId });
  const { body } = await as.admin({ realmId }).get("/api/scim");
  expect(body.data).toEqual({
    baseURL: `${api.url}/scim/v2`,
    pairwise: "externalId",
    newPeople: "sign-in",
    attributes: [],
    connections: [],
    people: 0,
    active: 0,
    heldJob: null,
    offboardedThisHour: 0,
    limitThisHour: 100,
    lastSignIns: { people: 0, unknown: 0 },
  });
});

test("people, connections and deactivations that count towards the share are counted for each realm", async () => {
  const directory = await givenDirectory(api);
  const { realmId, clientId, scim } = directory;
  await directory.person();
  const [leaves, deleted] = [await directory.person(), await directory.person()];
  await given.profile({ id: leaves, realmId });
  expect((await directory.deactivate(leaves)).status).toBe(200);
  expect((await scim.delete(`/Users/${deleted}`)).status).toBe(204);
  await given.user({ realmId });
  await given.application({ realmId, scopes: ["scim"], active: false });

  const { data } = (await as.admin({ realmId }).get("/api/scim")).body;
  expect(data).toMatchObject({ people: 2, active: 1, heldJob: null, offboardedThisHour: 1, limitThisHour: 100 });
  expect(data.connections).toHaveLength(2);
  expect(data.connections).toContainEqual({
    client_id: clientId,
    name: expect.any(String),
    active: true,
    lastUsed: null,
  });
  expect((await as.admin({ realmId: await given.realm() }).get("/api/scim")).body.data).toMatchObject({
    connections: [],
    people: 0,
    offboardedThisHour: 0,
  });
});

test("the response names the held job", async () => {
  const { realmId } = await givenDirectory(api);
  const [job] = await api.database.owner.query<{ id: string }>(sql`
    insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, started_at, marked_at, expected_change,
                      origin, progress_at)
    values (gen_random_uuid(), ${realmId}, 'offboarding', 'grace', false, '{userID}', now(), now(), now(), 0, 'scim', now())
    returning id
  `);
  expect((await as.admin({ realmId }).get("/api/scim")).body.data.heldJob).toBe(job?.id);
});

test("the response counts how many of the last 20 people who signed in are unknown to the directory", async () => {
  const directory = await givenDirectory(api);
  const { realmId } = directory;
  const known = await directory.person();
  const sign = (userId: string, ago: number) =>
    api.database.owner.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, properties)
      values (${realmId}, now() - make_interval(mins => ${ago}::integer), 'user_login', ${userId}, '{"method": "upstream"}')
    `);
  const lastSignIns = async () => (await as.admin({ realmId }).get("/api/scim")).body.data.lastSignIns;
  await sign(known, 1);
  await sign(known, 2);
  await sign((await given.user({ realmId })).id, 3);
  expect(await lastSignIns()).toEqual({ people: 2, unknown: 1 });
  for (let n = 0; n < 25; n++) await sign((await given.user({ realmId })).id, 10 + n);
  expect(await lastSignIns()).toEqual({ people: 20, unknown: 19 });
});
