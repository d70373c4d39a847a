import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { expectEnded, expectGoingOn } from "../../../../support/given/session-state.ts";

const api = useApi();
const { as, given } = api;

test("a user ends another of their sessions, and then the current one", async () => {
  const user = await given.user({ realmId: api.realmId });
  const [asking, another] = [await given.session({ user }), await given.session({ user })];
  const self = as.token(asking.accessToken);
  const both = [api, await api.another()];

  expect(await self.delete(`/api/sessions/${another.id}`)).toMatchObject({ status: 200, body: { data: true } });
  await expectEnded(both, another);
  await expectGoingOn(both, asking);

  expect(await self.delete(`/api/sessions/${asking.id.toUpperCase()}`)).toMatchObject({ status: 200 });
  await expectEnded(both, asking);
  expect(await auditOf(api.database, "userID", user.id)).toMatchObject([
    { event: "session_end", userId: user.id, clientId: asking.clientId, properties: { sid: another.id } },
    { event: "session_end", userId: user.id, clientId: asking.clientId, properties: { sid: asking.id } },
  ]);
});

test("another user's session cannot be ended, not even by an administrator", async () => {
  const session = await given.session({ user: await given.user({ realmId: api.realmId }) });
  for (const caller of [as.admin(), as.user(given.user({ realmId: api.realmId }))]) {
    expect(await caller.delete(`/api/sessions/${session.id}`)).toBeError("session_not_found");
  }
  await expectGoingOn([api], session);
});
