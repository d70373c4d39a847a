import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";

const api = useApi();
const { as, given } = api;

const profile = async () => {
  const { realmId } = api;
  const { id } = await given.guestAccount({ realmId });
  return { accountId: id, serial: await given.profile({ realmId }, { guestAccountId: id }) };
};

test.each([
  [undefined, 0],
  [{ Reason: 1 }, 1],
])(
  "a request with %j revokes the profile with reason %d, with one audit entry; a repeat changes nothing",
  async (body, reason) => {
    const { accountId, serial } = await profile();
    const admin = as.admin();

    expect(await admin.delete(`/api/guest-profile/${serial}`, body)).toMatchObject({
      status: 200,
      body: { result: "ok", code: 200, data: true },
    });
    expect(await admin.delete(`/api/guest-profile/${serial}`, { reason: 9 })).toMatchObject({ status: 200 });

    const { data } = (await admin.get(`/api/guest-accounts/${accountId}/profiles`)).body;
    expect(data).toMatchObject([{ serial, revokeReason: reason, revokeDate: expect.any(String) }]);
    expect(await auditOf(api.database, "serial", serial)).toMatchObject([
      { event: "guest_profile_revoke", properties: { guestAccount: accountId, reason } },
    ]);
  },
);

test("a profile that is not a guest's profile of this realm is not found", async () => {
  const user = await given.user({ realmId: api.realmId });
  const users = await given.profile(user);
  const infrastructure = await given.profile(user, { kind: "infrastructure" });
  const realmId = await given.realm();
  const { id } = await given.guestAccount({ realmId });
  const strange = await given.profile({ realmId }, { guestAccountId: id });

  for (const serial of [users, infrastructure, strange, "12345", "abc", "0"]) {
    expect(await as.service().delete(`/api/guest-profile/${serial}`)).toBeError("profile_not_found");
  }
});

test.each([{ reason: 2 }, { reason: "1" }, { reason: null }, []])("a request with %j is refused", async (body) => {
  const { serial } = await profile();
  expect(await as.service().delete(`/api/guest-profile/${serial}`, body)).toBeError("invalid_request");
});
