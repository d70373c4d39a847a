import { createSecretKey, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { subKey } from "../../../runtime/keys/sub-key.ts";

const bytes = Buffer.alloc(32, 7);

test("the labels are the same as in earlier releases, so forms, links and counts stay valid", () => {
  const master = [createSecretKey(bytes)] as const;
  const before = (label: string): Buffer => Buffer.from(hkdfSync("sha256", bytes, "", label, 32));
  expect(subKey(master, "formToken")).toEqual(before("realmpass form token"));
  expect(subKey(master, "handOver")).toEqual(before("realmpass hand-over"));
  expect(subKey(master, "attemptCounter")).toEqual(before("realmpass guesses"));
});

test("each purpose and each master key has a separate key, which is the same each time", () => {
  const [one, other] = [[createSecretKey(bytes)], [createSecretKey(Buffer.alloc(32, 8))]] as const;
  const purposes = ["attemptCounter", "formToken", "handOver", "shortCode", "guestCode", "checkValue"] as const;
  expect(new Set(purposes.map((purpose) => subKey(one, purpose).toString("hex"))).size).toBe(purposes.length);
  expect(subKey(one, "formToken")).not.toEqual(subKey(other, "formToken"));
  expect(subKey(one, "formToken")).toEqual(subKey(one, "formToken"));
});
