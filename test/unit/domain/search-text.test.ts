import { describe, expect, test } from "vitest";
import { compareFindings, fitOf, fits, readSearch, wordsOf, type Ranked } from "../../../domain/people/search-text.ts";

test.each(["", " ", "a", "ä", "\u00a0a\u2009"])("%j is not a search", (text) => {
  expect(readSearch(text)).toBeUndefined();
});

describe("a text is read as", () => {
  test.each<[text: string, words: string[]]>([
    [" Anna   Müller\n", ["Anna", "Müller"]],
    ["Mu\u0308ller", ["Müller"]],
    ['"Anna Müller" <anna@mail.example>,', ["Anna", "Müller", "anna@mail.example"]],
    ["100% a_b \\", ["100%", "a_b", "\\"]],
    ["anna anna", ["anna"]],
    ["()", ["()"]],
  ])("words: %j", (text, words) => {
    expect(readSearch(text)?.words).toEqual(words);
    expect(wordsOf(text)).toEqual(words);
  });

  test.each<[text: string, digits: string | undefined]>([
    ["7731", "7731"],
    ["773", undefined],
    ["…7731", "7731"],
    ["1234 5678", "12345678"],
    ["12\u202f34\u00a05678", "12345678"],
    ["1234-5678", "12345678"],
    ["1234x", undefined],
  ])("digits of a serial number: %j", (text, digits) => {
    expect(readSearch(text)?.digits).toBe(digits);
  });

  test.each<[text: string, serials: string[]]>([
    ["ff", ["255"]],
    ["0xFF", ["255"]],
    ["00:ff", ["255"]],
    ["0F:F0", ["4080"]],
    ["0f f0", ["4080"]],
    ["0f-f0", ["4080"]],
    ["serial=0FF0", ["4080"]],
    ["Serial Number: 0f:f0", ["4080"]],
    ["10", ["10", "16"]],
    ["000", []],
    ["xy", []],
    ["ff gg", []],
    ["f".repeat(43), []],
  ])("whole serial numbers: %j", (text, serials) => {
    expect(readSearch(text)?.serials).toEqual(serials);
  });

  test.each<[text: string, identity: string | undefined]>([
    ["abcd", "abcd"],
    ["abc", undefined],
    ["<abcdef@campus.example>", "abcdef@campus.example"],
    ["two words", undefined],
  ])("the beginning of an identity: %j", (text, identity) => {
    expect(readSearch(text)?.identity).toBe(identity);
  });
});

describe("how well something fits", () => {
  test.each<[text: string, texts: string[], fit: number]>([
    ["anna müller", ["Anna Mueller"], fits.exact],
    ["anna", ["x", "Anna Müller"], fits.beginning],
    ["müller", ["Anna Mueller"], fits.wordBeginning],
    ["müller", ["anna.mueller@mail.example"], fits.wordBeginning],
    ["müller", ["Anna Obermüller", "x-mueller"], fits.wordBeginning],
    ["müller anna", ["Anna Müller"], fits.wordBeginning],
    ["uller anna", ["Anna Muller"], fits.inside],
    ["nna", ["Anna"], fits.inside],
  ])("%j in %j", (text, texts, fit) => {
    expect(fitOf({ whole: text, words: text.split(" ") }, texts)).toBe(fit);
  });

  test("is the first criterion of the order, before whether a result has ended and before its age", () => {
    const found = (fit: Ranked["fit"], ended: boolean, day: number): Ranked => ({
      fit,
      ended,
      createdAt: new Date(day),
    });
    const inOrder = [found(0, true, 1), found(1, false, 3), found(1, false, 2), found(1, true, 9), found(3, false, 9)];
    expect(inOrder.toReversed().sort(compareFindings)).toEqual(inOrder);
  });
});
