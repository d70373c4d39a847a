import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";

const api = useApi();
const { as, given } = api;
const linux = { format: "pem", deviceType: "Linux" };

describe("with a worker", () => {
  let realmId: string;

  beforeAll(async () => {
    ({ realmId } = await givenIssuingRealm(api.database.owner, { maxProfiles: 2 }));
    await api.startWorker();
  });

  test("a user creates a profile of their own, up to the limit", async () => {
    const user = await given.user({ realmId });
    const self = as.user(user, { scopes: ["profile.create", "profile.read"] });

    const first = await self.post("/api/profile/Mia%27s%20iPhone", linux);
    expect(first).toMatchObject({
      status: 200,
      body: {
        data: {
          name: "Mia's iPhone",
          owner: user.id,
          authable: false,
          certificate: expect.stringContaining("BEGIN CERTIFICATE"),
          privateKey: expect.stringContaining("PRIVATE KEY"),
        },
      },
    });
    const { serial } = first.body.data;
    expect((await self.get(`/api/profile/${serial}`)).body.data).toMatchObject({ serial, owner: user.id });
    expect(await auditOf(api.database, "serial", serial)).toMatchObject([{ event: "profile_create", userId: user.id }]);

    expect((await self.post("/api/profile/laptop", linux)).status).toBe(200);
    expect(await self.post("/api/profile/tablet", linux)).toBeError("profile_limit_reached");
  });

  test("a name can consist of digits: it is not read as a serial number", async () => {
    const answer = await as.user(given.user({ realmId })).post("/api/profile/12345", linux);
    expect(answer).toMatchObject({ status: 200, body: { data: { name: "12345" } } });
  });

  test("a repeat with the same key returns the same profile", async () => {
    const self = as.user(given.user({ realmId }));
    const headers = { "idempotency-key": "k" };
    const [one, two] = await Promise.all([
      self.post("/api/profile/laptop", linux, { headers }),
      self.post("/api/profile/laptop", linux, { headers }),
    ]);
    expect(two.body.data.serial).toBe(one.body.data.serial);
  });
});

test("locked users, services and guests are refused", async () => {
  const locked = as.user(given.user({ realmId: api.realmId, lockedAt: new Date(0) }));
  expect(await locked.post("/api/profile/laptop", linux)).toBeError("user_locked");
  expect(await as.service().post("/api/profile/laptop", linux)).toBeError("user_required");
  expect(await as.guest().post("/api/profile/laptop", linux)).toBeError("user_required");
});

test.each([
  ["laptop", { ...linux, format: "p7b" }, "format"],
  ["laptop", { ...linux, deviceType: "linux" }, "deviceType"],
  ["x".repeat(65), linux, "name"],
  ["a%0Ab", linux, "name"],
])("%s with %j is refused, and the response names the field", async (name, body, path) => {
  const answer = await as.user(given.user({ realmId: api.realmId })).post(`/api/profile/${name}`, body);
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe(path);
});
