import pg from "pg";
import { expect, test } from "vitest";
import { isOutage } from "../../../db/outage.ts";

const refusal = (code: string): Error => Object.assign(new pg.DatabaseError("no", 2, "error"), { code });

test.each(["08006", "25006", "28000", "28P01", "53100", "53200", "53300", "57P01", "58030"])(
  "SQLSTATE %s means that Postgres is away for now",
  (code) => {
    expect(isOutage(refusal(code))).toBe(true);
  },
);

test.each(["23505", "42501", "53000", "58P01", "XX000"])("SQLSTATE %s means that something else is wrong", (code) => {
  expect(isOutage(refusal(code))).toBe(false);
});
