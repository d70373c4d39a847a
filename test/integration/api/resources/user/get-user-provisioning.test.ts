import { expect, test } from "vitest";
import { fromNow } from "../../../../support/given/given.ts";
import { givenDirectory } from "../../../../support/given/directory.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const provisioning = async (userId: string) => (await api.as.admin().get(`/api/user/${userId}/provisioning`)).body.data;

test("the response is empty for a user who is not offboarded and belongs to no directory", async () => {
  const user = await api.given.user({ realmId: api.realmId });
  expect(await provisioning(user.id)).toEqual({ offboarding: null, scim: null });
});

test("the response contains the date since which a user without active devices has been offboarded", async () => {
  const offboardedAt = fromNow(-60_000);
  const user = await api.given.user({ realmId: api.realmId, offboardedAt });
  expect(await provisioning(user.id)).toEqual({
    offboarding: { state: "done", job: null, since: offboardedAt.toISOString(), revokeAt: null },
    scim: null,
  });
});

test("the response shows which directory manages a user and what it last sent, until the directory deletes the user", async () => {
  const directory = await givenDirectory(api, { realmId: api.realmId });
  const id = await directory.person({ userName: "Ada@example.org", externalId: "ada" });
  const known = { client_id: directory.clientId, userName: "Ada@example.org", externalId: "ada" };
  expect(await provisioning(id)).toEqual({
    offboarding: null,
    scim: { ...known, active: true, updatedAt: expect.any(String) },
  });
  await directory.deactivate(id);
  expect(await provisioning(id)).toMatchObject({ offboarding: { state: "done" }, scim: { ...known, active: false } });
  await api.as.admin().delete(`/api/applications/${directory.clientId}`);
  expect((await provisioning(id)).scim).toMatchObject({ client_id: null, userName: "Ada@example.org" });
  const another = await givenDirectory(api, { realmId: api.realmId });
  const gone = await another.person();
  await another.scim.delete(`/Users/${gone}`);
  expect((await provisioning(gone)).scim).toBeNull();
});

test("a user of another realm is not found", async () => {
  const user = await api.given.user({ realmId: await api.given.realm() });
  expect(await api.as.admin().get(`/api/user/${user.id}/provisioning`)).toBeError("user_not_found");
});
