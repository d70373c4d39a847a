import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { fromNow } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const hour = 3_600_000;

test("activeProfileCount counts the profiles that are now neither revoked nor expired", async () => {
  const { realmId } = api;
  const account = await given.guestAccount({ realmId, name: "Fair", note: "n", profileLimit: 7 });
  const ofAccount = { guestAccountId: account.id };
  const path = `/api/guest-accounts/${account.id}`;
  const service = as.service();
  await given.profile({ realmId }, { ...ofAccount, createdAt: fromNow(-2 * hour), notAfter: fromNow(-hour) });
  await given.profile({ realmId }, ofAccount);
  const serial = await given.profile({ realmId }, ofAccount);

  expect((await service.get(path)).body.data).toMatchObject({
    id: account.id,
    name: "Fair",
    note: "n",
    profileLimit: 7,
    revoked: false,
    activeProfileCount: 2,
  });
  await service.delete(`/api/guest-profile/${serial}`);
  expect((await service.get(path)).body.data).toMatchObject({ activeProfileCount: 1 });
});

test("expired and revoked accounts are still shown", async () => {
  const { realmId } = api;
  const expired = await given.guestAccount({ realmId, expiresAt: fromNow(-hour) });
  const revoked = await given.guestAccount({ realmId, revokedAt: fromNow(-hour) });

  expect(await as.admin().get(`/api/guest-accounts/${expired.id}`)).toMatchObject({
    body: { data: { revoked: false } },
  });
  expect(await as.admin().get(`/api/guest-accounts/${revoked.id}`)).toMatchObject({
    body: { data: { revoked: true } },
  });
});

test("an id that is no guest account of this realm is not found", async () => {
  const stranger = await given.guestAccount({ realmId: await given.realm() });
  for (const id of [stranger.id, "999999999", "0", "01", "abc", "9".repeat(30)]) {
    expect(await as.service().get(`/api/guest-accounts/${id}`)).toBeError("guest_account_not_found");
  }
});
