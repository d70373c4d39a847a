import { expect, expectTypeOf, test } from "vitest";
import type { Db } from "../../../db/client.ts";
import { join, sql, unprepared, type Sql } from "../../../db/sql.ts";

test("a value becomes a parameter, whatever it looks like", () => {
  const { text, values } = sql`select ${"1; drop table users"}, ${{ text: "select 1", values: [] }}`;

  expect(text).toBe("select $1, $2");
  expect(values).toEqual(["1; drop table users", { text: "select 1", values: [] }]);
});

test("a fragment is spliced in, and the numbering of parameters continues", () => {
  const both = join([sql`a = ${1}`, sql`b = ${2}`], sql` and `);
  const { text, values } = sql`select ${0} where ${both} limit ${3}`;

  expect(text).toBe("select $1 where a = $2 and b = $3 limit $4");
  expect(values).toEqual([0, 1, 2, 3]);
});

test("an unprepared fragment is spliced in and makes the whole statement unprepared", () => {
  const whole = sql`select ${0} from (${unprepared(sql`select ${1}`)}) as t`;

  expect(whole.text).toBe("select $1 from (select $2) as t");
  expect(whole.values).toEqual([0, 1]);
  expect(whole.isUnprepared).toBe(true);
});

test("text and values that sql`…` did not make are not a statement", () => {
  expectTypeOf<{ text: string; values: readonly unknown[]; isUnprepared: boolean }>().not.toExtend<Sql>();
  expectTypeOf<Db["query"]>().parameter(0).toEqualTypeOf<Sql>();
});
