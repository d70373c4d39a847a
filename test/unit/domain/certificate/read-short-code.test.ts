import { expect, test } from "vitest";
import { readShortCode, shortCodeAlphabet } from "../../../../domain/certificate/short-code.ts";

test("the alphabet has 32 symbols, without I, L, O and U", () => {
  expect(new Set(shortCodeAlphabet).size).toBe(32);
  expect(shortCodeAlphabet).not.toMatch(/[ILOU]/);
});

test.each(["7K3Q-X9PT", "7k3qx9pt", " 7k3q x9pt ", "7K3Q–X9PT", "7k-3q-x9-pt", "7K3Q.X9PT"])(
  "%j is read as a short code",
  (typed) => {
    expect(readShortCode(typed)).toEqual({ kind: "handOver", code: "7K3Q-X9PT" });
  },
);

test("letters that look like digits are read as those digits", () => {
  expect(readShortCode("iIlL-oO01")?.code).toBe("1111-0001");
});

test.each(["7K3Q-X9PT-D4MN", "7k3q x9pt d4mn", "7K3QX9PTD4MN"])("%j is read as a guest account's code", (typed) => {
  expect(readShortCode(typed)).toEqual({ kind: "guest", code: "7K3Q-X9PT-D4MN" });
});

test.each(["", "7K3Q-X9P", "7K3Q-X9PT2", "7K3Q-X9PT-D4M", "7K3Q-X9PT-D4MN2", "7K3Q-X9PU", "7K3Q_X9PT", "Ünicodes"])(
  "%j is not a short code",
  (typed) => {
    expect(readShortCode(typed)).toBeUndefined();
  },
);
