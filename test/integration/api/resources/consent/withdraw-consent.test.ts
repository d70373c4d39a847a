import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { expectEnded, expectGoingOn } from "../../../../support/given/session-state.ts";

const api = useApi();
const { as, given } = api;

test("withdrawing ends the user's sessions with that application, and no others", async () => {
  const user = await given.user({ realmId: api.realmId });
  const { clientId } = await given.application({ realmId: api.realmId, type: "useragent" });
  const [one, two] = [await given.session({ user, clientId }), await given.session({ user, clientId })];
  const elsewhere = await given.session({ user });
  const someoneElses = await given.session({ user: await given.user({ realmId: api.realmId }), clientId });
  await given.consent(user, clientId);
  const self = as.user(user);

  expect(await self.delete(`/api/consents/${clientId}`)).toMatchObject({ status: 200, body: { data: true } });

  const both = [api, await api.another()];
  for (const ended of [one, two]) await expectEnded(both, ended);
  for (const kept of [elsewhere, someoneElses]) await expectGoingOn(both, kept);
  expect((await self.get("/api/consents")).body.data).toEqual([]);
  expect(await auditOf(api.database, "userID", user.id)).toMatchObject([
    { event: "consent_withdraw", userId: user.id, properties: { clientID: clientId, sessions: 2 } },
  ]);
});

test("a repeat with the same key succeeds; without a key the consent is not found", async () => {
  const user = await given.user({ realmId: api.realmId });
  const { clientId } = await given.application({ realmId: api.realmId, type: "useragent" });
  await given.consent(user, clientId);
  const self = as.user(user);
  const headers = { "idempotency-key": "k" };

  const first = await self.delete(`/api/consents/${clientId}`, undefined, { headers });
  expect((await self.delete(`/api/consents/${clientId}`, undefined, { headers })).text).toBe(first.text);
  expect(await self.delete(`/api/consents/${clientId}`)).toBeError("consent_not_found");
});

test("another user's consent cannot be withdrawn", async () => {
  const user = await given.user({ realmId: api.realmId });
  const { clientId } = await given.application({ realmId: api.realmId, type: "useragent" });
  await given.consent(user, clientId);

  const another = as.user(given.user({ realmId: api.realmId }));
  expect(await another.delete(`/api/consents/${clientId}`)).toBeError("consent_not_found");
  expect(await another.delete("/api/consents/a%20b")).toBeError("consent_not_found");
  expect((await as.user(user).get("/api/consents")).body.data).toHaveLength(1);
});
