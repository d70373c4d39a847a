import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

const finishedAt = async (realmId: string): Promise<string | null> =>
  (await as.service({ realmId }).get("/api/setup")).body.data.setUpAt;

const entriesOf = (realmId: string) =>
  api.database.owner.query(sql`
    select user_id as "userId", properties from audit_entries where realm_id = ${realmId} and event = 'setup_finish'
  `);

test("an administrator finishes the set-up once, with one audit entry; a repeat changes nothing", async () => {
  const realmId = await given.realm();
  const administrator = await given.user({ realmId, administrator: true });
  expect(await finishedAt(realmId)).toBeNull();

  const first = await as.user(administrator).post("/api/setup/finish");
  expect(first).toMatchObject({ status: 200, body: { data: true } });
  const at = await finishedAt(realmId);
  expect(at).not.toBeNull();

  expect((await as.user(administrator).post("/api/setup/finish")).status).toBe(200);
  expect(await finishedAt(realmId)).toBe(at);
  expect(await entriesOf(realmId)).toEqual([{ userId: administrator.id, properties: {} }]);
});

test("four concurrent requests leave one audit entry", async () => {
  const realmId = await given.realm();
  const asked = await Promise.all([1, 2, 3, 4].map(() => as.service({ realmId }).post("/api/setup/finish")));
  expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await entriesOf(realmId)).toHaveLength(1);
});

test("other realms stay unchanged, and read access is not enough", async () => {
  const [realmId, other] = [await given.realm(), await given.realm()];
  const auditor = await given.user({ realmId, roles: ["auditor"] });
  expect(await as.user(auditor).post("/api/setup/finish")).toBeError("insufficient_scope");
  expect(await finishedAt(realmId)).toBeNull();
  await as.service({ realmId }).post("/api/setup/finish");
  expect(await finishedAt(other)).toBeNull();
});
