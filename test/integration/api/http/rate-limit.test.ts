import { describe, expect, test } from "vitest";
import { useApi } from "../../../support/service/api.ts";

const api = useApi({ settings: { rateLimits: { service: 5, user: 3, refused: 4, tokens: 30 } } });
const { as, given } = api;

/** Returns responses to requests that all fall into one second: the limiter's window begins with the first. */
const burst = (count: number, send: () => Promise<{ status: number; headers: Record<string, unknown> }>) =>
  Promise.all(Array.from({ length: count }, send));

test("a service's requests beyond the limit get 429 with Retry-After", async () => {
  const service = as.service();
  const first = await service.get("/api/realm");
  expect(first.headers).toMatchObject({
    "x-rate-limit-limit": "5",
    "x-rate-limit-remaining": "4",
    "x-rate-limit-reset": "1",
  });

  const answers = await burst(10, () => service.get("/api/realm"));
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(5);
  const limited = answers.find(({ status }) => status === 429);
  expect(limited).toBeError("too_many_requests");
  expect(limited?.headers).toMatchObject({ "retry-after": "1", "x-rate-limit-remaining": "0" });
});

test("each token of a user has its own limit", async () => {
  const user = await given.user({ realmId: api.realmId });
  const [one, other] = [as.user(user), as.user(user)];
  await other.get("/api/user");
  const answers = await burst(10, () => one.get("/api/realm"));
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(3);
  expect((await other.get("/api/realm")).status).toBe(200);
});

describe("beyond the limit of refusals for one address", () => {
  const hasRetryAfter = ({ headers }: { headers: Record<string, unknown> }) => headers["retry-after"] === "1";

  test.each([
    ["a bad token", "/api/realm", () => as.token("bad"), 'Bearer realm="api", error="invalid_token"'],
    ["no token", "/api/realm", () => as.nobody(), 'Bearer realm="api"'],
    ["no session of the console", "/console/api/realm", () => as.nobody(), 'Bearer realm="api"'],
  ] as const)("a 401 for %s stays a 401, with its challenge, and has Retry-After", async (_, path, of, challenge) => {
    const answers = await burst(20, () => of().get(path, { headers: { "x-realmpass-console": "1" } }));

    for (const answer of answers) {
      expect(answer).toBeError("unauthenticated");
      expect(answer.headers).toMatchObject({ "www-authenticate": challenge, "x-rate-limit-limit": "4" });
      if (hasRetryAfter(answer)) expect(answer.headers).toMatchObject({ "x-rate-limit-remaining": "0" });
    }
    expect(answers.some(hasRetryAfter)).toBe(true);
  });

  test("a 403 becomes a 429, with no trace of the refusal", async () => {
    const callers = await Promise.all(Array.from({ length: 10 }, () => given.user({ realmId: api.realmId })));
    const answers = await Promise.all(callers.map((user) => as.user(user, { scopes: [] }).get("/api/realm")));
    const limited = answers.filter(({ status }) => status !== 403);

    expect(limited.length).toBeGreaterThan(0);
    for (const answer of limited) {
      expect(answer).toBeError("too_many_requests");
      expect(answer.headers).toMatchObject({ "retry-after": "1", "x-rate-limit-limit": "4" });
      expect(answer.headers).not.toHaveProperty("www-authenticate");
    }
  });

  test("an authorized caller is not slowed", async () => {
    const service = as.service();
    const before = await service.get("/api/realm");
    await burst(10, () => as.token("bad").get("/api/realm"));
    const during = await service.get("/api/realm");
    expect([before.status, during.status]).toEqual([200, 200]);
  });
});
