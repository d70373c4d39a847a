import { describe, expect, test } from "vitest";
import { parseFilter } from "../../../../api/scim/filter.ts";
import { ScimError } from "../../../../api/scim/scim-error.ts";
import type { DirectoryFilter } from "../../../../domain/people/directory.ts";
import { extent } from "../../../support/run/extent.ts";

/** Returns the fault with which a filter is refused; undefined if it is accepted. */
function faultOf(text: string): string | undefined {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof ScimError) return error.fault;
    throw error;
  }
  return undefined;
}

const userName = { attribute: "userName", operator: "eq", value: "a" } as const;
const externalId = { attribute: "externalId", operator: "eq", value: "b" } as const;

test.each<[string, DirectoryFilter]>([
  ['userName eq "a"', userName],
  ['  USERNAME   EQ "a"  ', userName],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', userName],
  [String.raw`userName eq "\u0061"`, userName],
  [String.raw`userName eq "a \"b\" \\ c"`, { ...userName, value: String.raw`a "b" \ c` }],
  ['userName eq "a b) or (c"', { ...userName, value: "a b) or (c" }],
  ['externalId eq "b"', externalId],
  ['displayName co "x"', { attribute: "displayName", operator: "co", value: "x" }],
  ['emails.value sw "x"', { attribute: "email", operator: "sw", value: "x" }],
  ['emails eq "x"', { attribute: "email", operator: "eq", value: "x" }],
  ["externalId pr", { attribute: "externalId", operator: "pr" }],
  ["active eq true", { attribute: "active", operator: "eq", value: true }],
  ["active eq False", { attribute: "active", operator: "eq", value: false }],
  ['active eq "false"', { attribute: "active", operator: "eq", value: false }],
  ['id eq "12"', { attribute: "id", operator: "eq", value: "12" }],
  ['id eq "nobody"', false],
  ['id eq "99999999999999999999"', false],
  [
    'meta.lastModified gt "2026-01-02T03:04:05Z"',
    { attribute: "updated", operator: "gt", value: new Date("2026-01-02T03:04:05Z") },
  ],
  ['userName eq "a" and externalId eq "b"', { and: [userName, externalId] }],
  [
    'userName eq "a" or externalId eq "b" and active eq true',
    {
      or: [userName, { and: [externalId, { attribute: "active", operator: "eq", value: true }] }],
    },
  ],
  ['(userName eq "a" or externalId eq "b") and userName eq "a"', { and: [{ or: [userName, externalId] }, userName] }],
  ['not (userName eq "a")', { not: userName }],
  ['emails[type eq "work"]', { attribute: "email", operator: "pr" }],
  [
    'emails[type eq "work" and value eq "x"]',
    {
      and: [
        { attribute: "email", operator: "pr" },
        { attribute: "email", operator: "eq", value: "x" },
      ],
    },
  ],
  [
    'emails[type eq "work"].value eq "x"',
    {
      and: [
        { attribute: "email", operator: "pr" },
        { attribute: "email", operator: "eq", value: "x" },
      ],
    },
  ],
])("%s", (text, filter) => {
  expect(parseFilter(text)).toEqual(filter);
});

describe("an unsupported filter is refused, and never matches everybody or nobody", () => {
  test.each([
    "",
    "   ",
    "userName",
    "userName eq",
    "userName eq a",
    'userName gt "a"',
    "userName eq true",
    "userName eq null",
    "userName eq 1e999",
    'userName eq "a',
    'userName eq "a" and',
    'userName eq "a" xor userName eq "b"',
    'userName eq "a")',
    '(userName eq "a"',
    'not userName eq "a"',
    "active ne true",
    "active pr",
    'id co "1"',
    'meta.created gt "yesterday"',
    'meta.created eq "2026-01-02T03:04:05Z"',
    'emails.type eq "home"',
    "emails.primary eq false",
    'emails[emails[type eq "work"]]',
    'emails[userName eq "a"]',
    'emails[type eq "work"].value',
    'groups eq "x"',
    '__proto__ eq "x"',
    'constructor eq "x"',
    "toString pr",
    String.raw`userName eq "\u0000"`,
    String.raw`userName eq "\ud800"`,
    String.raw`userName eq "\x"`,
  ])("%s", (text) => {
    expect(faultOf(text)).toBe("invalidFilter");
  });
});

test("a filter can have 1,000 characters, 10 levels and 20 comparisons; a larger filter is refused", () => {
  const nested = (levels: number) => `${"(".repeat(levels)}userName pr${")".repeat(levels)}`;
  expect([faultOf(nested(9)), faultOf(nested(10))]).toEqual([undefined, "invalidFilter"]);
  const many = (count: number) => Array.from({ length: count }, () => "userName pr").join(" or ");
  expect([faultOf(many(20)), faultOf(many(21))]).toEqual([undefined, "invalidFilter"]);
  const long = (length: number) => `userName eq "${"x".repeat(length - 14)}"`;
  expect([faultOf(long(1_000)), faultOf(long(1_001))]).toEqual([undefined, "invalidFilter"]);
  for (const bracket of ["(", "[", "not (", "emails["]) expect(faultOf(bracket.repeat(5_000))).toBe("invalidFilter");
});

test("whatever the text, a filter is parsed or refused", () => {
  const parts = [
    "userName",
    "emails",
    "[",
    "]",
    "(",
    ")",
    "not",
    "and",
    "or",
    "eq",
    "pr",
    '"a"',
    '"',
    "\\",
    ".value",
    " ",
    "1",
    "true",
    "__proto__",
    "\u0000",
    "é",
  ];
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let tried = 0; tried < extent(200_000); tried++) {
    const text = Array.from({ length: next(12) }, () => parts[next(parts.length)]).join(next(2) === 0 ? " " : "");
    expect([undefined, "invalidFilter"], text).toContain(faultOf(text));
  }
});
