import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";

const api = useApi();
const { as, given } = api;

test("a user's own limit replaces the realm's, and 0 restores the realm's", async () => {
  const user = await given.user({ realmId: api.realmId });
  const admin = as.admin();
  const limits: unknown[] = [];
  for (const profileOverride of [2, 2, 100, 0]) {
    expect(await admin.put(`/api/user/${user.id}/limit`, { profileOverride })).toMatchObject({
      status: 200,
      body: { data: true },
    });
    const { data } = (await admin.get(`/api/user/${user.id}`)).body;
    limits.push([data.profileOverride, data.maxProfiles]);
  }

  expect(limits).toEqual([
    [2, 2],
    [2, 2],
    [100, 100],
    [0, 5],
  ]);
  expect(await auditOf(api.database, "userID", user.id)).toMatchObject([
    { event: "user_limit_update", properties: { before: { profileOverride: 0 }, after: { profileOverride: 2 } } },
    { event: "user_limit_update", properties: { before: { profileOverride: 2 }, after: { profileOverride: 100 } } },
    { event: "user_limit_update", properties: { before: { profileOverride: 100 }, after: { profileOverride: 0 } } },
  ]);
});

test("a limit below the current number of profiles revokes no profile and allows no new one", async () => {
  const user = await given.user({ realmId: api.realmId });
  await given.profile(user);
  await given.profile(user);
  const admin = as.admin();
  await admin.put(`/api/user/${user.id}/limit`, { profileOverride: 1 });

  expect((await admin.get(`/api/user/${user.id}`)).body.data.profileCount).toBe(2);
  expect(await admin.post(`/api/user/${user.id}/profiles/laptop`, { format: "pem", deviceType: "Linux" })).toBeError(
    "profile_limit_reached",
  );
});

test.each([undefined, null, -1, 101, 1.5, "5", true, 1e300])(
  "profileOverride %j is refused",
  async (profileOverride) => {
    const user = await given.user({ realmId: api.realmId });
    const answer = await as.admin().put(`/api/user/${user.id}/limit`, { profileOverride });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields[0].path).toBe("profileOverride");
  },
);

test.each(["abc", "999999999"])("the user %s is not found", async (id) => {
  expect(await as.admin().put(`/api/user/${id}/limit`, { profileOverride: 1 })).toBeError("user_not_found");
});

test("a limit is changed only if `If-Match` names the user's current version", async () => {
  const user = await given.user({ realmId: api.realmId });
  const admin = as.admin();
  const tag = (await admin.get(`/api/user/${user.id}`)).headers.etag ?? "";
  const change = (profileOverride: number) =>
    admin.put(`/api/user/${user.id}/limit`, { profileOverride }, { headers: { "if-match": tag } });
  const answers = await Promise.all([2, 3, 4].map(change));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  expect(await change(9)).toBeError("precondition_failed");
  expect(await auditOf(api.database, "userID", user.id)).toHaveLength(1);
});
