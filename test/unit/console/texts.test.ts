import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import german from "../../../console/texts/de.json" with { type: "json" };
import english from "../../../console/texts/en.json" with { type: "json" };
import { allScopes } from "../../../domain/people/scopes.ts";

interface Texts {
  [key: string]: string | Texts;
}

/** Returns every text by its full key. */
const flat = (texts: Texts, before = ""): Map<string, string> =>
  new Map(
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === "string" ? [[`${before}${key}`, value] as const] : [...flat(value, `${before}${key}.`)],
    ),
  );

const texts = { english: flat(english), german: flat(german) };
const sources = readdirSync("console", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(join("console", name), "utf8"))
  .join("\n");

/** Keys in the code, and the beginnings of keys that the code composes. */
const literals = new Set([...sources.matchAll(/["'`]([a-z]\w*(?:\.\w+)+)["'`]/g)].map(([, key = ""]) => key));
const beginnings = [...sources.matchAll(/`([a-z]\w*\.(?:\w+\.)*)\$\{/g)].map(([, beginning = ""]) => beginning);
const withoutPlural = (key: string): string => key.replace(/_(?:one|other|zero)$/, "");

test("German has a text for everything that English has, and nothing else", () => {
  expect([...texts.german.keys()].sort()).toEqual([...texts.english.keys()].sort());
});

test("no text is empty, and both languages fill in the same values", () => {
  const values = (text: string): string[] => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name).sort();
  for (const [key, text] of texts.english) {
    const other = texts.german.get(key) ?? "";
    expect(text.trim(), key).not.toBe("");
    expect(other.trim(), key).not.toBe("");
    // “One day” does not need the number.
    if (!key.endsWith("_one")) expect(values(other), key).toEqual(values(text));
  }
});

test("every text is used", () => {
  const unused = [...texts.english.keys()]
    .map(withoutPlural)
    .filter((key) => !literals.has(key) && !beginnings.some((beginning) => key.startsWith(beginning)))
    // The code can name a branch and choose a key below it.
    .filter((key) => !literals.has(key.slice(0, key.lastIndexOf("."))));
  expect([...new Set(unused)]).toEqual([]);
});

test("every key in the code has a text", () => {
  const known = new Set([...texts.english.keys()].map(withoutPlural));
  const areas = new Set(Object.keys(english));
  const scopes = new Set<string>(allScopes);
  const missing = [...literals].filter(
    (key) => areas.has(key.split(".")[0] ?? "") && !known.has(key) && !scopes.has(key),
  );
  expect(missing.filter((key) => ![...known].some((text) => text.startsWith(`${key}.`)))).toEqual([]);
});
