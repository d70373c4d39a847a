import { expect, test } from "vitest";
import { addMonths } from "../../../domain/add-months.ts";
import { sql } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();

test.each([
  ["2026-01-31T12:00:00.000Z", 1, "2026-02-28T12:00:00.000Z"],
  ["2027-08-31T23:59:59.999Z", 6, "2028-02-29T23:59:59.999Z"],
  ["2027-12-31T00:00:00.000Z", 2, "2028-02-29T00:00:00.000Z"],
  ["2026-11-21T09:00:00.000Z", 24, "2028-11-21T09:00:00.000Z"],
  ["2028-02-29T09:00:00.000Z", 12, "2029-02-28T09:00:00.000Z"],
  ["2028-02-29T09:00:00.000Z", 48, "2032-02-29T09:00:00.000Z"],
])("%s plus %d months is %s", (from, months, to) => {
  expect(addMonths(new Date(from), months).toISOString()).toBe(to);
});

test("months are added to every day of five years as the database adds them", async () => {
  const rows = await database.owner.query<{ from: Date; months: number; to: Date }>(sql`
    select day as "from", months, day + make_interval(months => months) as "to"
      from generate_series(timestamptz '2027-01-01 12:34:56.789Z', '2031-12-31 23:59:59Z', interval '1 day') as days (day),
           unnest(array[1, 2, 3, 5, 6, 11, 12, 13, 18, 24, 47, 48, 60, 120]) as lengths (months)
  `);

  expect(rows).toHaveLength(1826 * 14);
  expect(rows.filter(({ from, months, to }) => addMonths(from, months).getTime() !== to.getTime())).toEqual([]);
});
