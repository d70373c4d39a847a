import { withoutEnds } from "./pairwise-id.ts";
import { digitsOfHexadecimal } from "../serial-digits.ts";

/** Fewer characters than this find nothing. */
export const searchLengthMin = 2;

/** Fewer digits are no part of a serial number that somebody reads out, and fewer characters no beginning of an identity. */
const partLengthMin = 4;

/** What somebody wrote or pasted into the search, and what each of it may be. */
export interface SearchText {
  /** In one line, without what stands around it. */
  whole: string;
  words: readonly string[];
  /** Digits of a serial number: all of them, or a part. */
  digits: string | undefined;
  /** Serial numbers that the whole text may be, in decimal. */
  serials: readonly string[];
  /** The beginning of an identity. */
  identity: string | undefined;
}

/** What a search may mean; undefined when it is too short to mean anything. */
export function readSearch(text: string): SearchText | undefined {
  const whole = inOneLine(text);
  if (Array.from(whole).length < searchLengthMin) return undefined;

  const number = whole.replace(label, "");
  const joined = number.replace(/[\s.…:-]/gu, "");
  const digits = /^\d+$/.test(joined) ? joined : undefined;
  const fromHexadecimal = digitsOfHexadecimal(number);
  const serials = [digits?.replace(/^0+/, ""), fromHexadecimal].filter(
    (serial) => serial !== undefined && serial !== "",
  );
  return {
    whole,
    words: wordsOf(whole),
    digits: digits !== undefined && digits.length >= partLengthMin ? digits : undefined,
    serials: [...new Set(serials)] as string[],
    identity: whole.length >= partLengthMin && !whole.includes(" ") ? bare(whole) : undefined,
  };
}

/** The words of a text, each of which has to be found. */
export const wordsOf = (text: string): string[] => [
  ...new Set(
    inOneLine(text)
      .split(" ")
      .filter((word) => word !== "")
      .map(bare),
  ),
];

/** A letter with its dots may come as two characters (NFD), as from file names of a Mac. */
const inOneLine = (text: string): string => withoutEnds(text.normalize("NFC")).replace(/\s+/gu, " ");

/** What programs write before a serial number, as `openssl x509 -serial`. */
const label = /^(?:serial(?: ?number)?|seriennummer) ?[:=] ?/i;

/** A word without the brackets, quotation marks and commas that come along when it is copied. */
function bare(word: string): string {
  const stripped = word.replace(/^[<>()[\]"'„“”‚‘’,;]+|[<>()[\]"'„“”‚‘’,;]+$/gu, "");
  return stripped === "" ? word : stripped;
}

/** How a text is compared: in any letter case, with ä, ö, ü and ß as they are written where there is no such key. */
export const foldText = (text: string): string =>
  text.toLowerCase().replace(/[äöüß]/g, (letter) => germanLetters[letter as keyof typeof germanLetters]);

export const germanLetters = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" } as const;

/** How well something fits what is searched for; the smaller, the better. */
export const fits = { exact: 0, beginning: 1, wordBeginning: 2, inside: 3 } as const;
export type Fit = (typeof fits)[keyof typeof fits];

/** How well these texts of one thing fit: by the whole search where one of them has it, else by its worst word. */
export function fitOf({ whole, words }: Pick<SearchText, "whole" | "words">, texts: readonly string[]): Fit {
  const folded = texts.map(foldText);
  const best = (searched: string): Fit => Math.min(...folded.map((text) => fitIn(foldText(searched), text))) as Fit;
  const ofWhole = best(whole);
  return ofWhole < fits.inside ? ofWhole : (Math.max(...words.map(best)) as Fit);
}

function fitIn(searched: string, text: string): Fit {
  if (text === searched) return fits.exact;
  if (text.startsWith(searched)) return fits.beginning;
  for (let at = text.indexOf(searched); at !== -1; at = text.indexOf(searched, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return fits.wordBeginning;
  }
  return fits.inside;
}

/** What an order of findings goes by. */
export interface Ranked {
  fit: Fit;
  /** Offboarded, revoked, expired or switched off. */
  ended: boolean;
  createdAt: Date;
}

/** The order of findings: what fits best, then what has not ended, then the newest. */
export const compareFindings = (a: Ranked, b: Ranked): number =>
  a.fit - b.fit || Number(a.ended) - Number(b.ended) || b.createdAt.getTime() - a.createdAt.getTime();
