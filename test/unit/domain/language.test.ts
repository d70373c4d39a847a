import { expect, test } from "vitest";
import { languageOfTag, languages, textsIn } from "../../../domain/words/language.ts";

test.each([
  ["de", "de"],
  ["de-AT", "de"],
  ["DE-1996-x-any", "de"],
  ["en-GB", "en"],
  ["den", undefined],
  ["fr", undefined],
  ["", undefined],
  [null, undefined],
  [undefined, undefined],
])("the language of the tag %j is %j", (tag, language) => {
  expect(languageOfTag(tag)).toBe(language);
});

test("texts are chosen by language", () => {
  const greeting = textsIn({ en: "Hello", de: "Hallo" });
  expect(languages.map(greeting)).toEqual(["Hello", "Hallo"]);
});
