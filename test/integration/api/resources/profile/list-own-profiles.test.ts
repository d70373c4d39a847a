import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { fromNow } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const hour = 3_600_000;

test("a user sees their own active profiles, newest first, in a plain array", async () => {
  const user = await given.user({ realmId: api.realmId });
  const [older, newer, revoked] = [
    await given.profile(user, { createdAt: fromNow(-2 * hour) }),
    await given.profile(user, { createdAt: fromNow(-hour) }),
    await given.profile(user),
  ];
  await given.profile(user, { createdAt: fromNow(-2 * hour), notAfter: fromNow(-hour) });
  await given.profile(await given.user({ realmId: api.realmId }));
  await as.admin().delete(`/api/profiles/${revoked}`);

  const { status, body } = await as.user(user).get("/api/profile");

  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(["code", "data", "result"]);
  expect(body.data.map(({ serial }: { serial: string }) => serial)).toEqual([newer, older]);
  expect(body.data[0]).toMatchObject({ owner: user.id, revokeReason: null, revokeTime: null });
});

test("only a user has profiles of their own", async () => {
  expect(await as.service().get("/api/profile")).toBeError("user_required");
  expect(await as.guest().get("/api/profile")).toBeError("user_required");
  expect((await as.admin().get("/api/profile")).body.data).toEqual([]);
});
