import { expect, test } from "vitest";
import { givenActivity } from "../../../../support/given/activity.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const made = givenActivity(() => api.database.owner);
const hour = 3_600_000;

test("the timeline lists what happened to a guest account and its profiles, latest first", async () => {
  const { body } = await as
    .service()
    .post("/api/guest-account", { name: "workshop", expirationDate: fromNow(48 * hour) });
  const { id } = body.data;
  const serial = await given.profile({ realmId: api.realmId }, { guestAccountId: id, name: "tablet" });
  await as.service().delete(`/api/guest-profile/${serial}`);
  await made.check(serial, fromNow(hour));
  const another = await given.guestAccount({ realmId: api.realmId });
  await made.check(await given.profile(another, { guestAccountId: another.id }), fromNow(hour));

  const { body: answer } = await as.service({ scopes: ["guest.read"] }).get(`/api/guest-accounts/${id}/timeline`);
  expect(
    answer.data.map(({ type, name, detail }: { type: string; name: string; detail: object }) => ({
      type,
      name,
      detail,
    })),
  ).toEqual([
    { type: "profile_check", name: "tablet", detail: { result: "revoked" } },
    { type: "guest_profile_revoke", name: "tablet", detail: { name: "tablet", reason: 0 } },
    { type: "guest_account_create", name: null, detail: expect.objectContaining({ name: "workshop" }) },
  ]);
  expect(answer.data[1].by).toMatchObject({ kind: "application" });
});

test("an account of another realm is not found", async () => {
  const foreign = await given.guestAccount({ realmId: await given.realm() });
  expect(await as.service().get(`/api/guest-accounts/${foreign.id}/timeline`)).toBeError("guest_account_not_found");
});
