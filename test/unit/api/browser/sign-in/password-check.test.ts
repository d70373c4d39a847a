import { expect, test } from "vitest";
import { isPassword, nobodysHash } from "../../../../../api/browser/sign-in/password-check.ts";
import { hashPassword } from "../../../../../operator/user/password.ts";

const password = "correct horse battery staple";

test("comparing with nobody's password costs what comparing with somebody's does", async () => {
  const parameters = (hash: string): string => hash.split("$").slice(0, 4).join("$");
  expect(parameters(nobodysHash)).toBe(parameters(await hashPassword(password)));
});

test.each([
  ["the right password", password, true, true],
  ["a wrong one", "wrong", true, false],
  ["none", "", true, false],
  ["one that is too long", password.repeat(100), true, false],
  ["any, when there is no hash", password, false, false],
])("%s", async (_, given, hashed, expected) => {
  expect(await isPassword(given, hashed ? await hashPassword(password) : null)).toBe(expected);
});

test("a password of 1,024 bytes can be right", async () => {
  const longest = "ä".repeat(512);
  expect(await isPassword(longest, await hashPassword(longest))).toBe(true);
});

test("many at once all get their answer; more than can wait are told to come again", async () => {
  const hash = await hashPassword(password);
  const checks = await Promise.allSettled(Array.from({ length: 110 }, () => isPassword(password, hash)));
  const answered = checks.filter(({ status }) => status === "fulfilled");
  expect(answered).toHaveLength(102);
  expect(answered.every((check) => check.status === "fulfilled" && check.value)).toBe(true);
  expect(checks.flatMap((check) => (check.status === "rejected" ? [check.reason] : []))).toEqual(
    Array.from({ length: 8 }, () => expect.objectContaining({ code: "unavailable" })),
  );
  expect(await isPassword(password, hash)).toBe(true);
});
