import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("an application's tokens are listed in order of creation, including expired ones, without their secrets", async () => {
  const admin = as.admin();
  const [own, other] = await Promise.all(
    [1, 2].map(async () => {
      const { clientId } = await given.application({ realmId: api.realmId, scopes: ["scim"] });
      return `/api/applications/${clientId}/tokens`;
    }),
  );
  expect((await admin.get(own!)).body.data).toEqual([]);
  const first = (await admin.post(own!, { name: "first" })).body.data;
  const second = (await admin.post(own!, { name: "second" })).body.data;
  await admin.post(other!, {});
  await api.database.owner.query(sql`update static_tokens set expires_at = now() where id = ${first.id}`);
  const listed = await admin.get(own!);
  expect(listed.body.data).toMatchObject([
    { id: first.id, name: "first", expiresAt: expect.any(String) },
    { id: second.id, name: "second", expiresAt: null },
  ]);
  expect(listed.text).not.toMatch(/rpk_|token_hash/);
});

test("without the scope scim, an application has no static tokens", async () => {
  const { clientId } = await given.application({ realmId: api.realmId });
  expect((await as.admin().get(`/api/applications/${clientId}/tokens`)).body.data).toEqual([]);
});
