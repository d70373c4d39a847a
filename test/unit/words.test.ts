import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

/** Phrases on which a native reader stumbles. Rewrite the sentence; there is no list of exceptions. */
const phrases = [
  "in hand",
  "for ever",
  "for good",
  "anew",
  "in so far as",
  "besides",
  "is had",
  "comes to",
  "the ones",
  "stands against",
  "whoever",
  "nobody's",
  "ours",
];

/** Migrations are never rewritten, `db/schema.sql` repeats their comments, and this file has to name the phrases. */
const isExempt = (path: string): boolean =>
  path === relative(process.cwd(), import.meta.filename) ||
  path === "package-lock.json" ||
  path === "db/schema.sql" ||
  path.startsWith("db/migrations/");

/** Git's own folder, and those in `.gitignore`. */
const ignored = new Set([".git", "node_modules", "dist", "data", "coverage", "test-results", ".env"]);

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !ignored.has(name))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(join(folder, entry.name)) : entry.isFile() ? [join(folder, entry.name)] : [],
    );

const isText = (bytes: Buffer): boolean => !bytes.includes(0);

/**
 * What can be between two words of a phrase: spaces, or a line break with the beginning of a comment's next line or of
 * a continued string.
 */
const gap = String.raw`(?:\s|["\x60] ?\+|["\x60*#>]|//|--)+`;
const found = new RegExp(
  `(?<![\\w-])(?:${phrases.map((phrase) => phrase.replace("'", "['’]").replaceAll(" ", gap)).join("|")})(?![\\w-])`,
  "gi",
);

/** Returns `path:line: phrase` for each phrase of the list in a text. */
const phrasesIn = (path: string, text: string): string[] =>
  [...text.matchAll(found)].map(
    ({ 0: phrase, index }) => `${path}:${text.slice(0, index).split("\n").length}: ${phrase.replace(/\s+/g, " ")}`,
  );

test("no comment, text, test title or document contains a phrase of the list", () => {
  const paths = filesBelow(".").filter((path) => !isExempt(path));
  expect(paths.length).toBeGreaterThan(1_000);

  const all = paths.flatMap((path) => {
    const bytes = readFileSync(path);
    return isText(bytes) ? phrasesIn(path, bytes.toString("utf8")) : [];
  });
  expect(all).toEqual([]);
});

test.each([
  ["// The rows in hand are kept.", "example.ts:1: in hand"],
  ["/**\n * Kept for\n * good.\n */", "example.ts:2: for * good"],
  ['"gone for " +\n  "good"', 'example.ts:1: for " + "good'],
  ["\n\nWHOEVER asks", "example.ts:3: WHOEVER"],
  ["it is nobody’s", "example.ts:1: nobody’s"],
])("a phrase is found in %j", (text, line) => {
  expect(phrasesIn("example.ts", text)).toEqual([line]);
});

test.each(["hours, yours, a renewed one", "an in-hand-over", "in handing it over, the onesies"])(
  "%j contains no phrase of the list",
  (text) => {
    expect(phrasesIn("example.ts", text)).toEqual([]);
  },
);
