import { expect, test } from "vitest";
import { readShortCode, shortCodeAlphabet } from "../../../domain/certificate/short-code.ts";

test("the alphabet has 32 symbols, and none of I, L, O, U", () => {
  expect(new Set(shortCodeAlphabet).size).toBe(32);
  expect(shortCodeAlphabet).not.toMatch(/[ILOU]/);
});

test.each(["7K3Q-X9PT", "7k3qx9pt", " 7k3q x9pt ", "7K3Q–X9PT", "7k-3q-x9-pt", "7K3Q.X9PT"])(
  "%j is read as a short code",
  (typed) => {
    expect(readShortCode(typed)).toBe("7K3Q-X9PT");
  },
);

test("letters that look like digits are read as these", () => {
  expect(readShortCode("iIlL-oO01")).toBe("1111-0001");
});

test.each(["", "7K3Q-X9P", "7K3Q-X9PT2", "7K3Q-X9PU", "7K3Q_X9PT", "Ünicodes"])("%j is no short code", (typed) => {
  expect(readShortCode(typed)).toBeUndefined();
});
