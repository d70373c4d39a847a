import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";

const api = useApi();
const { as, given } = api;

test.each([
  [undefined, 0],
  [{ reason: 1 }, 1],
])("a user revokes a profile of their own: for %j the reason is %d", async (body, reason) => {
  const user = await given.user({ realmId: api.realmId });
  const serial = await given.profile(user);
  const self = as.user(user);

  expect(await self.delete(`/api/profile/${serial}`, body)).toMatchObject({ status: 200, body: { data: true } });
  expect(await self.delete(`/api/profile/${serial}`, { reason: 4 })).toMatchObject({ status: 200 });

  expect((await self.get(`/api/profile/${serial}`)).body.data.revokeReason).toBe(reason);
  expect(await auditOf(api.database, "serial", serial)).toMatchObject([
    { event: "profile_revoke", userId: user.id, properties: { reason } },
  ]);
});

test("another user's profile is not found, and stays active", async () => {
  const owner = await given.user({ realmId: api.realmId });
  const serial = await given.profile(owner);

  expect(await as.admin().delete(`/api/profile/${serial}`)).toBeError("profile_not_found");
  expect(await as.service().delete(`/api/profile/${serial}`)).toBeError("user_required");
  expect((await as.user(owner).get(`/api/profile/${serial}`)).body.data.revokeTime).toBeNull();
});

test.each([{ reason: 2 }, { reason: "1" }])("a request with %j is refused", async (body) => {
  const user = await given.user({ realmId: api.realmId });
  expect(await as.user(user).delete(`/api/profile/${await given.profile(user)}`, body)).toBeError("invalid_request");
});
