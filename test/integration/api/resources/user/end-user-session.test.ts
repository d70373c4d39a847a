import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { expectEnded, expectGoingOn } from "../../../../support/given/session-state.ts";

const api = useApi();
const { as, given } = api;

test("ending a session ends its code and tokens in every process, and no other session", async () => {
  const user = await given.user({ realmId: api.realmId });
  const [ended, kept] = [await given.session({ user }), await given.session({ user })];

  expect(await as.admin().delete(`/api/user/${user.id}/sessions/${ended.id}`)).toMatchObject({
    status: 200,
    body: { result: "ok", code: 200, data: true },
  });

  const both = [api, await api.another()];
  await expectEnded(both, ended);
  await expectGoingOn(both, kept);
  expect(await auditOf(api.database, "sid", ended.id)).toMatchObject([
    { event: "session_end", properties: { userID: user.id, clientID: ended.clientId } },
  ]);
});

test("a repeat with the same key succeeds; without a key the session is not found", async () => {
  const user = await given.user({ realmId: api.realmId });
  const { id } = await given.session({ user });
  const service = as.service();
  const headers = { "idempotency-key": "k" };
  const path = `/api/user/${user.id}/sessions/${id}`;

  const first = await service.delete(path, undefined, { headers });
  expect((await service.delete(path, undefined, { headers })).text).toBe(first.text);
  expect(await service.delete(path)).toBeError("session_not_found");
});

test("a session is found only under its own user and realm", async () => {
  const user = await given.user({ realmId: api.realmId });
  const session = await given.session({ user });
  const { id: otherId } = await given.user({ realmId: api.realmId });
  const stranger = as.admin({ realmId: await given.realm() });

  expect(await as.admin().delete(`/api/user/${otherId}/sessions/${session.id}`)).toBeError("session_not_found");
  expect(await as.admin().delete(`/api/user/${user.id}/sessions/x`)).toBeError("session_not_found");
  expect(await stranger.delete(`/api/user/${user.id}/sessions/${session.id}`)).toBeError("user_not_found");
  await expectGoingOn([api], session);
});
