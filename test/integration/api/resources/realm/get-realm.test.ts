import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("every principal of the realm can read its settings", async () => {
  const user = await given.user({ realmId: api.realmId });
  for (const who of [as.admin(), as.service(), as.user(user), as.guest()]) {
    expect(await who.get("/api/realm")).toMatchObject({ status: 200 });
  }
  expect((await as.user(user).get("/api/realm")).body.data).toEqual({
    realmName: expect.stringMatching(/^realm-/),
    displayName: expect.any(String),
    logoURI: "",
    maxProfiles: 5,
    maxValid: 12,
  });
});

test("users and services need the scope", async () => {
  const user = await given.user({ realmId: api.realmId });
  for (const who of [as.service({ scopes: ["user.read"] }), as.user(user, { scopes: ["profile.read"] })]) {
    expect(await who.get("/api/realm")).toBeError("insufficient_scope");
  }
});
