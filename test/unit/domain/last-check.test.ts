import { expect, test } from "vitest";
import { lastCheckOf } from "../../../domain/certificate/last-check.ts";

const before = "2026-11-20T09:59:59.999Z";
const revocation = "2026-11-20T10:00:00.000Z";
const after = "2026-11-20T10:00:00.001Z";

test.each([
  ["a check before the revocation is good", before, revocation, "good"],
  ["a check at the time of the revocation is refused", revocation, revocation, "revoked"],
  ["a check after the revocation is refused", after, revocation, "revoked"],
  ["a check of a profile that is not revoked is good", after, null, "good"],
] as const)("%s, with the same result for dates and for the API's texts", (_, lastCheckAt, revokedAt, result) => {
  expect(lastCheckOf<string>({ lastCheckAt, revokedAt })).toEqual({ at: lastCheckAt, result });
  const dates = { lastCheckAt: new Date(lastCheckAt), revokedAt: revokedAt === null ? null : new Date(revokedAt) };
  expect(lastCheckOf(dates)).toEqual({ at: dates.lastCheckAt, result });
});

test("a profile that no server has checked has no last check", () => {
  expect(lastCheckOf<string>({ lastCheckAt: null, revokedAt: revocation })).toBeNull();
});
