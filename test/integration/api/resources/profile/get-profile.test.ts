import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("a profile has exactly the fields of the specification", async () => {
  const user = await given.user({ realmId: api.realmId });
  const createdAt = new Date("2026-01-02T03:04:05.678Z");
  const serial = await given.profile(user, { name: "my phone", deviceType: "Android", createdAt });

  expect((await as.admin().get(`/api/profiles/${serial}`)).body.data).toEqual({
    serial,
    name: "my phone",
    revokeReason: null,
    revokeTime: null,
    creationTime: "2026-01-02T03:04:05.678Z",
    expirationTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    authable: false,
    lastLogin: "2026-01-02T03:04:05.678Z",
    deviceType: "Android",
    owner: user.id,
  });
});

test("HEAD returns the headers of GET", async () => {
  const serial = await given.profile(await given.user({ realmId: api.realmId }));
  const answer = await as.admin().send("HEAD", `/api/profiles/${serial}`);
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: "" });
  expect(Number(answer.headers["content-length"])).toBeGreaterThan(0);
});
