import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answerWithin, within } from "../../../runtime/deadline.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = (): Promise<never> => new Promise(() => undefined);

test("a result before the deadline is returned, and no timer stays", async () => {
  expect(await within(1_000, Promise.resolve(4711))).toBe(4711);
  expect(vi.getTimerCount()).toBe(0);
});

test("a failure before the deadline is thrown, and no timer stays", async () => {
  await expect(within(1_000, Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(vi.getTimerCount()).toBe(0);
});

test("a promise that has not settled after the deadline is late", async () => {
  const waiting = within(1_000, never());
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBe("late");
});

test("a failure after the deadline is not an unhandled rejection", async () => {
  let fail: (error: Error) => void = () => undefined;
  const waiting = within(1_000, new Promise((_, reject) => (fail = reject)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBe("late");
  // Vitest fails a run with an unhandled rejection.
  fail(new Error("too late"));
});

test("a late answer is an error that contains the time waited", async () => {
  const waiting = expect(answerWithin(1_000, never())).rejects.toThrow("no answer within 1000 ms");
  await vi.advanceTimersByTimeAsync(1_000);
  await waiting;
  expect(await answerWithin(1_000, Promise.resolve(1))).toBe(1);
});
