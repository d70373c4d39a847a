import { expect, test } from "vitest";
import { addMonths } from "../../../api/profile/profile-creation.ts";

test.each([
  ["2026-01-31T12:00:00.000Z", 1, "2026-02-28T12:00:00.000Z"],
  ["2027-12-31T00:00:00.000Z", 2, "2028-02-29T00:00:00.000Z"],
  ["2026-11-21T09:00:00.000Z", 24, "2028-11-21T09:00:00.000Z"],
  ["2028-02-29T09:00:00.000Z", 12, "2029-02-28T09:00:00.000Z"],
])("%s plus %d months is %s, as Postgres has it", (from, months, to) => {
  expect(addMonths(new Date(from), months).toISOString()).toBe(to);
});
