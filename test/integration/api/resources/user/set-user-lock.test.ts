import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { expectGoingOn } from "../../../../support/given/session-state.ts";

const api = useApi();
const { as, given } = api;
const linux = { format: "pem", deviceType: "Linux" };

test("locking stops new profiles and changes nothing else, until the user is unlocked", async () => {
  const user = await given.user({ realmId: api.realmId });
  const [kept, revoked] = [await given.profile(user), await given.profile(user)];
  const session = await given.session({ user });
  const both = [api, await api.another()];
  const [admin, self] = [as.admin(), as.token(session.accessToken)];

  expect(await admin.put(`/api/user/${user.id}/status`, { locked: true })).toMatchObject({
    status: 200,
    body: { result: "ok", code: 200, data: true },
  });

  expect(await self.post("/api/profile/laptop", linux)).toBeError("user_locked");
  expect(await admin.post(`/api/user/${user.id}/profiles/laptop`, linux)).toBeError("user_locked");
  await expectGoingOn(both, session);
  expect(await self.delete(`/api/profile/${revoked}`)).toMatchObject({ status: 200, body: { data: true } });
  expect((await self.get("/api/profile")).body.data).toMatchObject([{ serial: kept, revokeTime: null }]);
  expect((await admin.get(`/api/user/${user.id}`)).body.data).toMatchObject({
    locked: true,
    lockDate: expect.any(String),
  });

  await admin.put(`/api/user/${user.id}/status`, { locked: false });
  expect((await admin.get(`/api/user/${user.id}`)).body.data).toMatchObject({ locked: false, lockDate: null });
  const headers = { prefer: "respond-async" };
  expect((await self.post("/api/profile/laptop", linux, { headers })).status).toBe(202);
});

test("only a change is written to the audit log, and locking again keeps the time of the first lock", async () => {
  const user = await given.user({ realmId: api.realmId });
  const service = as.service();
  const lockDates: unknown[] = [];
  for (const locked of [false, true, true, false, false]) {
    expect((await service.put(`/api/user/${user.id}/status`, { LOCKED: locked })).status).toBe(200);
    lockDates.push((await service.get(`/api/user/${user.id}`)).body.data.lockDate);
  }

  expect(lockDates).toEqual([null, expect.any(String), lockDates[1], null, null]);
  expect(await auditOf(api.database, "userID", user.id)).toMatchObject([
    { event: "user_lock", properties: { before: { locked: false }, after: { locked: true } } },
    { event: "user_unlock", properties: { before: { locked: true }, after: { locked: false } } },
  ]);
});

test.each([{}, { locked: "true" }, { locked: null }, { locked: 1 }])("a request with %j is refused", async (body) => {
  const user = await given.user({ realmId: api.realmId });
  const answer = await as.admin().put(`/api/user/${user.id}/status`, body);
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe("locked");
});

test.each(["abc", "999999999"])("the user %s is not found", async (id) => {
  expect(await as.admin().put(`/api/user/${id}/status`, { locked: true })).toBeError("user_not_found");
});
