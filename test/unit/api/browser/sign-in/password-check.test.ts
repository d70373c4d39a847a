import { verify } from "@node-rs/argon2";
import { expect, test } from "vitest";
import { createPasswordCheck, defaultDummyHash } from "../../../../../api/browser/sign-in/password-check.ts";
import { hashPassword } from "../../../../../operator/user/password.ts";

const password = "correct horse battery staple";
/** The least work that argon2id can do, for tests that are not about its cost. */
const cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const cheapHash = (of = password): Promise<string> => hashPassword(of, { cost });
const parametersOf = (hash: string): string => hash.split("$").slice(0, 4).join("$");

test("a stored password is hashed by argon2id with 19 MiB and two passes, and a check without a stored password costs the same", async () => {
  const stored = await hashPassword(password);
  expect(parametersOf(stored)).toBe("$argon2id$v=19$m=19456,t=2,p=1");
  expect(await createPasswordCheck()(password, stored)).toBe(true);

  expect(parametersOf(defaultDummyHash)).toBe(parametersOf(stored));
  expect(await verify(defaultDummyHash, password)).toBe(false);
});

const dummyHash = await cheapHash("a password that is nowhere stored");
const isPassword = createPasswordCheck({ dummyHash });

test.each([
  ["the right password", password, true, true],
  ["a wrong one", "wrong", true, false],
  ["none", "", true, false],
  ["one that is too long", password.repeat(100), true, false],
  ["any, when there is no hash", password, false, false],
  ["that of the dummy hash, when there is no hash", "a password that is nowhere stored", false, false],
])("%s", async (_, given, hashed, expected) => {
  expect(await isPassword(given, hashed ? await cheapHash() : null)).toBe(expected);
});

test("a password of 1,024 bytes is accepted if it is right", async () => {
  const longest = "ä".repeat(512);
  expect(await isPassword(longest, await cheapHash(longest))).toBe(true);
});

test("simultaneous checks get a verdict up to the queue's limit; further checks fail as unavailable", async () => {
  const hash = await cheapHash();
  const checks = await Promise.allSettled(Array.from({ length: 110 }, () => isPassword(password, hash)));
  const answered = checks.filter(({ status }) => status === "fulfilled");
  expect(answered).toHaveLength(102);
  expect(answered.every((check) => check.status === "fulfilled" && check.value)).toBe(true);
  expect(checks.flatMap((check) => (check.status === "rejected" ? [check.reason] : []))).toEqual(
    Array.from({ length: 8 }, () => expect.objectContaining({ code: "unavailable" })),
  );
  expect(await isPassword(password, hash)).toBe(true);
});
