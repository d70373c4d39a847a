import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { choose, countTitle, readFaults, titlePattern, withFault, type Fault } from "../seeded/fault-list.ts";

const text = readFileSync("test/seeded-faults.md", "utf8");
const faults = readFaults(text);

/** The subjects whose rules have seeded faults. */
const subjects = [
  ...["Entitlement", "Claim", "Settle", "Abandon", "Collecting and erasing", "Sealing"],
  ...[
    "OAuth: PKCE and redirection",
    "OAuth: codes, clients and tokens",
    "Consent",
    "Scopes and roles",
    "Realm filters",
  ],
  ...["CRL", "OCSP", "Idempotency", "If-Match", "Rate and attempt limits", "Restore and replay", "Forgetting"],
  ...[
    "File names",
    "Letter case of ids",
    "Confirmation of mass revocation",
    "Undo",
    "Replacing",
    "The geteduroam apps",
  ],
];

describe("the list of seeded faults", () => {
  test("is numbered, names each fault once, and has faults for every subject", () => {
    expect(faults.map(({ number }) => number)).toEqual(faults.map((_, index) => index + 1));
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    const sections = text.split(/^## /m).slice(1);
    expect(sections.map((section) => section.slice(0, section.indexOf("\n")))).toEqual(subjects);
    for (const section of sections) expect(section).toContain("\n### ");
  });

  test.each(faults)("$number. $name: the line occurs once in the code, and the title once in the test", (fault) => {
    const source = readFileSync(fault.file, "utf8");
    expect(withFault(source, fault)).not.toBe(source);
    expect(countTitle(readFileSync(fault.testFile, "utf8"), fault.title), fault.title).toBe(1);
    // Migrations have already run when a fault is tried.
    expect(fault.file).not.toMatch(/^(test|db\/migrations)\//);
  });
});

const sample: Fault = {
  number: 1,
  name: "sample",
  rule: "A rule.",
  file: "a.ts",
  lines: { before: undefined, changed: "check(a);", after: undefined },
  replacement: "check(b);",
  testFile: "a.test.ts",
  title: "a title",
};

describe("an entry", () => {
  const entryOf = (diff: string): string =>
    `### 1. sample\n\nA rule.\n\n- In \`a.ts\`\n- Caught by \`a.test.ts\`: a title\n\n\`\`\`diff\n${diff}\n\`\`\`\n`;

  test("is read with a changed line, a removed line, and the lines around it", () => {
    expect(readFaults(entryOf("- check(a);\n+ check(b);"))).toEqual([sample]);
    expect(readFaults(entryOf("- check(a);"))).toEqual([{ ...sample, replacement: undefined }]);
    expect(readFaults(entryOf("  one\n- check(a);\n+ check(b);\n  two"))).toEqual([
      { ...sample, lines: { before: "one", changed: "check(a);", after: "two" } },
    ]);
  });

  test.each(["check(a);", "+ check(b);", "- check(a);\n- check(b);", ""])(
    "that contains %j is refused, and the error names the entry",
    (diff) => {
      expect(() => readFaults(entryOf(diff))).toThrow("cannot read ### 1. sample");
    },
  );
});

describe("putting a fault in", () => {
  test("changes the one line, whatever its indentation", () => {
    expect(withFault("a\n  check(a);\nb", sample)).toBe("a\ncheck(b);\nb");
    expect(withFault("a\n  check(a);\nb", { ...sample, replacement: undefined })).toBe("a\nb");
  });

  test("fails for a line that is missing, is only part of another line, or occurs twice", () => {
    for (const source of ["a", "if (x) check(a);"])
      expect(() => withFault(source, sample)).toThrow("0 times, not once");
    expect(() => withFault("check(a);\ncheck(a);", sample)).toThrow("2 times, not once");
  });

  test("finds one of several equal lines by the lines around it", () => {
    const source = "one\ncheck(a);\ntwo\ncheck(a);\nthree";
    const near = (before?: string, after?: string): string =>
      withFault(source, { ...sample, lines: { before, changed: "check(a);", after } });
    expect(near("two")).toBe("one\ncheck(a);\ntwo\ncheck(b);\nthree");
    expect(near(undefined, "two")).toBe("one\ncheck(b);\ntwo\ncheck(a);\nthree");
    expect(() => near("three")).toThrow("0 times, not once");
  });
});

test("a title is counted as a whole string, with any quotes", () => {
  expect(countTitle('test("a title", f); test("a title and more", f);', "a title")).toBe(1);
  expect(countTitle("test('a title', f); test(`a title`, f);", "a title")).toBe(2);
  expect(countTitle(String.raw`test("a \"title\"", f);`, 'a "title"')).toBe(1);
});

test("a title matches its own test, and each case of a table", () => {
  const matches = (title: string, name: string): boolean => new RegExp(`^${titlePattern(title)}$`).test(name);
  expect(matches("4.1 a (b) [c]?", "4.1 a (b) [c]?")).toBe(true);
  expect(matches("4.1 a", "401 a")).toBe(false);
  expect(matches("%s is %j", "this is [1]")).toBe(true);
  expect(matches("$name is one", "x is one")).toBe(true);
  expect(matches("%s is one", "this is two")).toBe(false);
});

test("faults are chosen by number and by name, and an unknown word is an error", () => {
  const three = ["claim-held", "claim-issuer", "settle-claim"].map((name, index) => ({
    ...sample,
    name,
    number: index + 1,
  }));
  const chosen = (...words: string[]): number[] => choose(three, words).map(({ number }) => number);
  expect(chosen()).toEqual([1, 2, 3]);
  expect(chosen("3", "claim-i")).toEqual([2, 3]);
  expect(chosen("claim")).toEqual([1, 2, 3]);
  for (const word of ["4", "consent"]) expect(() => chosen(word)).toThrow(`there is no fault ${word}`);
});
