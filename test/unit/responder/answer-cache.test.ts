import { expect, test } from "vitest";
import { createAnswerCache, type KeptAnswer } from "../../../responder/answer-cache.ts";

const row = {
  certificateId: "1",
  isServers: false,
  revokedAt: null,
  revocationReason: null,
  lastOcspAt: null,
  abandonedAt: null,
};
const answer = (text: string): KeptAnswer => ({ answer: { outcome: "good", body: Buffer.from(text) }, row });
const start = new Date("2027-01-01T00:00:00.000Z");
const after = (ms: number): Date => new Date(start.getTime() + ms);

test("an answer is repeated for half a second, and no longer", () => {
  const cache = createAnswerCache();
  const first = answer("first");
  cache.set("key", first, start);
  for (const ms of [0, 1, 499]) expect(cache.get("key", after(ms))).toBe(first);
  expect(cache.get("another key", start)).toBeUndefined();
  expect(cache.get("key", after(500))).toBeUndefined();

  const second = answer("second");
  cache.set("key", second, after(500));
  expect(cache.get("key", after(999))).toBe(second);
  expect(cache.get("key", after(1_000))).toBeUndefined();
});

test("when the cache is full, the oldest answer is dropped for a new one", () => {
  const cache = createAnswerCache();
  const answers = Array.from({ length: 5_001 }, (_, index) => answer(String(index)));
  answers.forEach((each, index) => {
    cache.set(String(index), each, start);
  });
  expect(cache.get("0", start)).toBeUndefined();
  for (const index of [1, 5_000]) expect(cache.get(String(index), start)).toBe(answers[index]);
});
