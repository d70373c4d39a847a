import { expect, test } from "vitest";
import { createSeldom, reasonOf, type Repeated } from "../../../runtime/seldom.ts";

test("a repeated error is reported immediately, then once a minute with a count", () => {
  const logged: Repeated[] = [];
  let at = 0;
  const seldom = createSeldom((repeated) => logged.push(repeated), { now: () => at });

  seldom(new Error("refused"));
  for (let times = 0; times < 230; times += 1) {
    at += 250;
    seldom(new Error("still refused"));
  }
  expect(logged).toEqual([{ count: 1, reason: "refused" }]);

  at = 60_000;
  seldom(new Error("DENIED Redis is running in protected mode"));
  expect(logged.slice(1)).toEqual([{ count: 231, reason: "DENIED Redis is running in protected mode" }]);

  at = 120_000;
  seldom(new Error("refused"));
  expect(logged.slice(2)).toEqual([{ count: 1, reason: "refused" }]);
});

test.each([
  [new AggregateError([new Error("connect ECONNREFUSED ::1:6379"), new Error("connect ECONNREFUSED 127.0.0.1:6379")])],
  ["connect ECONNREFUSED ::1:6379; connect ECONNREFUSED 127.0.0.1:6379"],
])("the reason for a host with several addresses contains the error of each address", (error) => {
  expect(reasonOf(error)).toBe("connect ECONNREFUSED ::1:6379; connect ECONNREFUSED 127.0.0.1:6379");
});

test("no reason contains a password", () => {
  expect(reasonOf(new Error("cannot reach redis://:secret@cache:6379"))).toBe(
    "cannot reach redis://[redacted]@cache:6379",
  );
});
