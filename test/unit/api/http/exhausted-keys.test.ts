import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createExhaustedKeys } from "../../../../api/http/exhausted-keys.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a key is over its limit until its window ends, and no longer", () => {
  const keys = createExhaustedKeys();
  keys.add("a", 900);

  expect(keys.msLeft("a")).toBe(900);
  vi.advanceTimersByTime(899);
  expect(keys.msLeft("a")).toBe(1);
  vi.advanceTimersByTime(1);
  expect(keys.msLeft("a")).toBeUndefined();
  expect(keys.isEmpty()).toBe(true);
});

test("another key is not over its limit", () => {
  const keys = createExhaustedKeys();
  keys.add("a", 900);
  expect(keys.msLeft("b")).toBeUndefined();
});

test("with askAgainMs, a key no longer counts as exhausted after that time, even before its window ends", () => {
  const keys = createExhaustedKeys({ askAgainMs: 1_000 });
  keys.add("a", 60_000);

  vi.advanceTimersByTime(999);
  expect(keys.msLeft("a")).toBe(59_001);
  vi.advanceTimersByTime(1);
  expect(keys.msLeft("a")).toBeUndefined();
});

test("when the list is full, the oldest key makes room for the newest", () => {
  const keys = createExhaustedKeys({ keysMax: 2 });
  for (const key of ["a", "b", "c"]) keys.add(key, 900);
  expect(["a", "b", "c"].filter((key) => keys.msLeft(key) !== undefined)).toEqual(["b", "c"]);
});

test("a known key takes no additional room when it is added again", () => {
  const keys = createExhaustedKeys({ keysMax: 2 });
  for (const key of ["a", "b", "b"]) keys.add(key, 900);
  expect(["a", "b"].filter((key) => keys.msLeft(key) !== undefined)).toEqual(["a", "b"]);
});
