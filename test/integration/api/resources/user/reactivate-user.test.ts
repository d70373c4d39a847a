import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { expectEnded, expectGoingOn } from "../../../../support/given/session-state.ts";

const api = useApi();
const { as, given } = api;

test("a reactivated user can sign in again; ended sessions and profiles stay ended", async () => {
  const user = await given.user({ realmId: api.realmId });
  const serial = await given.profile(user);
  const session = await given.session({ user });
  const admin = as.admin();
  await admin.delete(`/api/user/${user.id}`);

  expect(await admin.put(`/api/user/${user.id}/undelete`)).toMatchObject({ status: 200, body: { data: true } });

  const both = [api, await api.another()];
  await expectEnded(both, session);
  expect((await admin.get(`/api/profiles/${serial}`)).body.data.revokeReason).toBe(5);
  expect((await admin.get(`/api/user/${user.id}`)).body.data).toMatchObject({
    blacklisted: false,
    blacklistDate: null,
  });
  await expectGoingOn(both, await given.session({ user }));
  expect((await auditOf(api.database, "userID", user.id)).map(({ event }) => event)).toEqual([
    "user_offboard",
    "user_undelete",
  ]);
});

test("the timeline shows when a grace period would have ended in revocation, and that a reactivation kept the profiles", async () => {
  const timelineOf = async (id: string) => {
    const { body } = await as.admin().get(`/api/user/${id}/timeline`);
    return (body.data as { type: string; detail: Record<string, unknown> }[])
      .filter(({ type }) => type.startsWith("user_"))
      .map(({ type, detail: { profiles, revokeAt, profilesKept } }) => ({ type, profiles, revokeAt, profilesKept }));
  };
  const [patient, gone] = [await given.user({ realmId: api.realmId }), await given.user({ realmId: api.realmId })];
  const admin = as.admin();
  for (const user of [patient, gone]) {
    await given.profile(user);
    await admin.delete(`/api/user/${user.id}`, user === patient ? { graceDays: 5 } : {});
    await admin.put(`/api/user/${user.id}/undelete`);
  }
  const revokeAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect(await timelineOf(patient.id)).toEqual([
    { type: "user_undelete", profilesKept: 1 },
    { type: "user_offboard", profiles: 1, revokeAt },
  ]);
  // Control: without a grace period.
  expect(await timelineOf(gone.id)).toEqual([
    { type: "user_undelete", profilesKept: 0 },
    { type: "user_offboard", profiles: 1 },
  ]);
});

test("a lock survives reactivation", async () => {
  const user = await given.user({ realmId: api.realmId, lockedAt: new Date(0), offboardedAt: new Date(0) });
  const admin = as.admin();
  await admin.put(`/api/user/${user.id}/undelete`);
  expect((await admin.get(`/api/user/${user.id}`)).body.data).toMatchObject({ blacklisted: false, locked: true });
});

test("reactivating a user who is not offboarded succeeds and writes nothing", async () => {
  const user = await given.user({ realmId: api.realmId });
  expect(await as.service().put(`/api/user/${user.id}/undelete`)).toMatchObject({ status: 200, body: { data: true } });
  expect(await auditOf(api.database, "userID", user.id)).toEqual([]);
});

test.each(["abc", "999999999"])("the user %s is not found", async (id) => {
  expect(await as.admin().put(`/api/user/${id}/undelete`)).toBeError("user_not_found");
});
