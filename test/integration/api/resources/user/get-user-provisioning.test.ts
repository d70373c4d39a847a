import { expect, test } from "vitest";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const provisioning = async (userId: string) => (await api.as.admin().get(`/api/user/${userId}/provisioning`)).body.data;

test("says nothing of somebody who is not offboarded", async () => {
  const user = await api.given.user({ realmId: api.realmId });
  expect(await provisioning(user.id)).toEqual({ offboarding: null });
});

test("says since when somebody is offboarded whose devices are off", async () => {
  const offboardedAt = fromNow(-60_000);
  const user = await api.given.user({ realmId: api.realmId, offboardedAt });
  expect(await provisioning(user.id)).toEqual({
    offboarding: { state: "done", job: null, since: offboardedAt.toISOString(), revokeAt: null },
  });
});

test("another realm's user is not there", async () => {
  const user = await api.given.user({ realmId: await api.given.realm() });
  expect(await api.as.admin().get(`/api/user/${user.id}/provisioning`)).toBeError("user_not_found");
});
