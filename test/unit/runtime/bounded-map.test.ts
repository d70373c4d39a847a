import { expect, test } from "vitest";
import { BoundedMap } from "../../../runtime/bounded-map.ts";

const filled = (keys: string[], onRemoved?: (value: string) => void): BoundedMap<string, string> => {
  const map = new BoundedMap<string, string>(3, onRemoved);
  for (const key of keys) map.set(key, `value of ${key}`);
  return map;
};
const kept = (map: BoundedMap<string, string>) => ["a", "b", "c", "d"].filter((key) => map.get(key) !== undefined);

test("a map keeps every key until it is full", () => {
  const map = filled(["a", "b", "c"]);
  expect(kept(map)).toEqual(["a", "b", "c"]);
  expect(map.get("a")).toBe("value of a");
  expect(map.size).toBe(3);
});

test("adding a key to a full map removes the key that was set longest ago", () => {
  const removed: string[] = [];
  const map = filled(["a", "b", "c", "d"], (value) => removed.push(value));
  expect(kept(map)).toEqual(["b", "c", "d"]);
  expect(removed).toEqual(["value of a"]);
  expect(map.size).toBe(3);
});

test("setting a known key takes no more room, and makes it the newest", () => {
  const removed: string[] = [];
  const map = filled(["a", "b", "c", "a", "d"], (value) => removed.push(value));
  expect(kept(map)).toEqual(["a", "c", "d"]);
  expect(removed).toEqual(["value of b"]);
});

test("a deleted key makes room for a new key", () => {
  const removed: string[] = [];
  const map = filled(["a", "b", "c"], (value) => removed.push(value));
  map.delete("b");
  map.set("d", "value of d");
  expect(kept(map)).toEqual(["a", "c", "d"]);
  expect(removed).toEqual([]);
});
