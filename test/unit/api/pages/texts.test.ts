import { expect, test } from "vitest";
import { languages } from "../../../../domain/words/language.ts";
import { allProblems } from "../../../../api/pages/problems.ts";
import { pageTexts } from "../../../../api/pages/texts/page-texts.ts";
import { Scope } from "../../../../domain/people/scopes.ts";

/** Returns every text by its path; functions get a number. */
function leaves(value: unknown, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String(value(3))]];
  return Object.entries(value as object).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`));
}

test("every language has every text, and no text is the same as in another language", () => {
  const [first, ...others] = languages.map((language) => new Map(leaves(pageTexts(language))));
  for (const other of others) {
    expect([...other.keys()].sort()).toEqual([...first!.keys()].sort());
    expect([...other].filter(([path, text]) => text === "" || text === first!.get(path))).toEqual([]);
  }
});

test.each(languages)("each scope and each problem has a text: %s", (language) => {
  const { scopes, problems } = pageTexts(language);
  expect(Object.keys(scopes).sort()).toEqual([...Scope.options].sort());
  expect(Object.keys(problems).sort()).toEqual([...allProblems].sort());
});
