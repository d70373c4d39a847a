import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("a user has exactly the fields of the specification", async () => {
  const user = await given.user({ realmId: api.realmId, pairwiseId: "p-1", email: "a@example.org" });
  await given.profile(user);

  const { status, body } = await as.admin().get(`/api/user/${user.id}`);

  expect(status).toBe(200);
  expect(body).toEqual({
    result: "ok",
    code: 200,
    data: {
      userID: user.id,
      pairwiseID: "p-1",
      email: "a@example.org",
      locked: false,
      creationTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      realmID: api.realmId,
      profileOverride: 0,
      maxProfiles: 5,
      profileCount: 1,
      blacklisted: false,
      blacklistDate: null,
      lockDate: null,
    },
  });
});

test("a user can read their own data with any scope, and finds no other user", async () => {
  const user = await given.user({ realmId: api.realmId });
  const other = await given.user({ realmId: api.realmId });

  expect(await as.user(user, { scopes: [] }).get(`/api/user/${user.id}`)).toMatchObject({
    status: 200,
    body: { data: { userID: user.id } },
  });
  expect(await as.user(user).get(`/api/user/${other.id}`)).toBeError("user_not_found");
  expect(await as.guest().get(`/api/user/${user.id}`)).toBeError("user_not_found");
});

test("an administrator needs user.read to read other users", async () => {
  const user = await given.user({ realmId: api.realmId });
  const answer = await as.service({ scopes: ["profile.read"] }).get(`/api/user/${user.id}`);

  expect(answer).toBeError("insufficient_scope");
  expect(answer.headers["www-authenticate"]).toContain('error="insufficient_scope", scope="user.read"');
});

test("a user of another realm is indistinguishable from an unknown one", async () => {
  const stranger = await given.user({ realmId: await given.realm() });
  const masked = async (path: string): Promise<string> => {
    const { text, headers } = await as.admin().get(path);
    return text.replaceAll(String(headers["x-request-id"]), "…");
  };
  expect(await masked(`/api/user/${stranger.id}`)).toBe(await masked("/api/user/9223372036854775807"));
});

test.each(["0", "01", "-1", "abc", "9223372036854775808", "1.0", "%20", "1e3", "five thousand characters"])(
  "%s is not found",
  async (name) => {
    const id = name.startsWith("five") ? "x".repeat(5000) : encodeURIComponent(name);
    expect(await as.admin().get(`/api/user/${id}`)).toBeError("user_not_found");
  },
);
