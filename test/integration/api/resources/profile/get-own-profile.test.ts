import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("a user sees a profile of their own, even after it is revoked", async () => {
  const user = await given.user({ realmId: api.realmId });
  const serial = await given.profile(user, { name: "my phone" });
  const self = as.user(user, { scopes: ["profile.read"] });

  expect(await self.get(`/api/profile/${serial}`)).toMatchObject({
    status: 200,
    body: { data: { serial, name: "my phone", owner: user.id, revokeTime: null } },
  });
  await as.admin().delete(`/api/profiles/${serial}`, { reason: 4 });
  expect((await self.get(`/api/profile/${serial}`)).body.data).toMatchObject({ serial, revokeReason: 4 });
});

test("another user's profile is not found, even for an administrator", async () => {
  const serial = await given.profile(await given.user({ realmId: api.realmId }));
  const wording = ({ text, headers }: { text: string; headers: object }) =>
    text.replaceAll(String((headers as Record<string, unknown>)["x-request-id"]), "…");

  for (const caller of [as.admin(), as.user(given.user({ realmId: api.realmId }))]) {
    const answers = await Promise.all([serial, "12345", "abc"].map((one) => caller.get(`/api/profile/${one}`)));
    for (const answer of answers) expect(answer).toBeError("profile_not_found");
    expect(new Set(answers.map(wording)).size).toBe(1);
  }
});
