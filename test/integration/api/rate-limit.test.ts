import { expect, test } from "vitest";
import { useApi } from "../../support/api.ts";

const api = useApi({ settings: { rateLimits: { service: 5, user: 3, refused: 4 } } });
const { as, given } = api;

/** Answers of requests that all fall into one second: the limiter's window begins with the first. */
const burst = (count: number, send: () => Promise<{ status: number; headers: object }>) =>
  Promise.all(Array.from({ length: count }, send));

test("a service's requests beyond the limit are 429 with when to try again", async () => {
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

test("a user's limit is their own, and another token is not slowed", async () => {
  const user = await given.user({ realmId: api.realmId });
  const [one, other] = [as.user(user), as.user(user)];
  await other.get("/api/user");
  const answers = await burst(10, () => one.get("/api/realm"));
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(3);
  expect((await other.get("/api/realm")).status).toBe(200);
});

test("refusals are counted per address, and slow nobody who is let in", async () => {
  const service = as.service();
  const before = await service.get("/api/realm");
  const answers = await burst(10, () => as.token("bad").get("/api/realm"));
  const during = await service.get("/api/realm");

  const refused = answers.filter(({ status }) => status === 401).length;
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(4);
  for (const answer of answers.filter(({ status }) => status !== 401)) expect(answer).toBeError("too_many_requests");
  expect([before.status, during.status]).toEqual([200, 200]);
});
