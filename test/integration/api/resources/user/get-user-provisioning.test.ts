import { expect, test } from "vitest";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const provisioning = async (userId: string) => (await api.as.admin().get(`/api/user/${userId}/provisioning`)).body.data;

test("is empty for a user who is not offboarded", async () => {
  const user = await api.given.user({ realmId: api.realmId });
  expect(await provisioning(user.id)).toEqual({ offboarding: null });
});

test("contains the time since a user has been offboarded without active devices", async () => {
  const offboardedAt = fromNow(-60_000);
  const user = await api.given.user({ realmId: api.realmId, offboardedAt });
  expect(await provisioning(user.id)).toEqual({
    offboarding: { state: "done", job: null, since: offboardedAt.toISOString(), revokeAt: null },
  });
});

test("is not found for another realm's user", async () => {
  const user = await api.given.user({ realmId: await api.given.realm() });
  expect(await api.as.admin().get(`/api/user/${user.id}/provisioning`)).toBeError("user_not_found");
});
