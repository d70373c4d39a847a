import { expect, test } from "vitest";
import { keepResults } from "../../../../../api/browser/docs/kept-results.ts";

test("a value is computed once, even for simultaneous callers", async () => {
  const once = keepResults<number>(2);
  let made = 0;
  const make = () => Promise.resolve(++made);
  expect(await Promise.all([once("a", make), once("a", make)])).toEqual([1, 1]);
  expect(await once("a", make)).toBe(1);
});

test("a failure is not kept: the next caller computes the value again", async () => {
  const once = keepResults<string>(2);
  await expect(once("a", () => Promise.reject(new Error("too many open files")))).rejects.toThrow("too many open");
  expect(await once("a", () => "page")).toBe("page");
});

test("when the store is full, a value stays until another key needs its place", async () => {
  const once = keepResults<string>(1);
  expect(await once("a", () => "first")).toBe("first");
  expect(await once("a", () => "second")).toBe("first");
  expect(await once("b", () => "other")).toBe("other");
  expect(await once("a", () => "second")).toBe("second");
});
