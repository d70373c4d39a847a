import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";
import { fromNow } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;

test("administrators see a user's sessions, without tokens", async () => {
  const user = await given.user({ realmId: api.realmId });
  const [older, newer] = [
    await given.session({ user, createdAt: fromNow(-60_000) }),
    await given.session({ user, scopes: ["openid", "profile.read"] }),
  ];

  const { status, body, text } = await as.admin().get(`/api/user/${user.id}/sessions`);

  expect(status).toBe(200);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([newer.id, older.id]);
  expect(body.data[0]).toEqual({
    id: newer.id,
    client_id: newer.clientId,
    clientName: `application ${newer.clientId}`,
    scopes: ["openid", "profile.read"],
    createdAt: expect.any(String),
    lastUsedAt: expect.any(String),
    expiresAt: expect.any(String),
    current: false,
  });
  for (const secret of [newer.code, newer.accessToken, newer.refreshToken]) expect(text).not.toContain(secret);
});

test("expired sessions are not listed, and an administrator's current session is marked", async () => {
  const user = await given.user({ realmId: api.realmId, administrator: true });
  const [current, ended] = [await given.session({ user }), await given.session({ user })];
  await api.database.owner.query(
    sql`update sessions set expires_at = now() - interval '1 second' where id = ${ended.id}`,
  );

  const { body } = await as.token(current.accessToken).get(`/api/user/${user.id}/sessions`);
  expect(body.data).toMatchObject([{ id: current.id, current: true }]);
});

test.each(["abc", "999999999"])("the user %s is not found", async (id) => {
  expect(await as.admin().get(`/api/user/${id}/sessions`)).toBeError("user_not_found");
});
