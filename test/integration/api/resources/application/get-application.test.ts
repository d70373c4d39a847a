import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { tokenWith } from "../../../../support/given/registration.ts";

const api = useApi();
const { as, given } = api;

test("an application has the fields of its registration, and when it was last used", async () => {
  const { clientId, secret } = await given.application({ realmId: api.realmId, scopes: ["user.read"] });
  const admin = as.admin();
  expect((await admin.get(`/api/applications/${clientId}`)).body.data).toEqual({
    client_id: clientId,
    type: "service",
    active: true,
    name: `application ${clientId}`,
    clientURI: "https://client.example",
    redirectURI: null,
    redirectURIs: [],
    scopes: ["user.read"],
    useClientSecret: true,
    requirePKCE: false,
    fullTokenAnswers: false,
    creationDate: expect.any(String),
    createdBy: "test",
    lastUsed: null,
  });

  await tokenWith(api, { client_id: clientId, client_secret: secret });
  expect((await admin.get(`/api/applications/${clientId}`)).body.data.lastUsed).toEqual(expect.any(String));
});

test.each(["x", "a%20b", "9".repeat(65), "7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c11"])("there is no %s", async (id) => {
  expect(await as.admin().get(`/api/applications/${id}`)).toBeError("application_not_found");
});

test("an application of another realm is indistinguishable from an unknown one", async () => {
  const { clientId } = await given.application({ realmId: api.realmId });
  const stranger = as.admin({ realmId: await given.realm() });
  const path = `/api/applications/${clientId}`;
  for (const answer of [
    await stranger.get(path),
    await stranger.put(path, { name: "mine" }),
    await stranger.delete(path),
    await stranger.post(`${path}/secret`),
  ]) {
    expect(answer).toBeError("application_not_found");
  }
  expect((await as.admin().get(path)).status).toBe(200);
});
