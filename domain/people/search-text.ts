import { withoutEnds } from "../text.ts";
import { digitsOfHexadecimal, serialLabel } from "../serial-digits.ts";

/** The fewest characters of a search that looks beyond the texts of its own list. */
export const searchLengthMin = 2;

/**
 * The fewest digits that count as part of a serial number that a person reads out, and the fewest characters that count
 * as the beginning of an identity.
 */
const partLengthMin = 4;

/** Text that a person typed or pasted into the search, and its possible meanings. */
export interface SearchText {
  /** The text on one line, without blanks and invisible characters around it. */
  whole: string;
  words: readonly string[];
  /** The digits of a serial number, or of a part of one. */
  digits: string | undefined;
  /** Serial numbers that the whole text can mean, in decimal. */
  serials: readonly string[];
  /** The beginning of an identity. */
  identity: string | undefined;
}

/** Returns the possible meanings of a search; undefined if the search is too short to mean anything. */
export function readSearch(text: string): SearchText | undefined {
  const searched = meaningsOf(text);
  return isLongEnough(searched) ? searched : undefined;
}

/** Returns whether a text is long enough for a search beyond the texts of the list that it is typed into. */
export const isLongEnough = ({ whole }: SearchText): boolean => Array.from(whole).length >= searchLengthMin;

/** Returns the possible meanings of a text of any length. */
export function meaningsOf(text: string): SearchText {
  const whole = inOneLine(text);
  const number = whole.replace(serialLabel, "");
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

/** Returns the words of a text. A search must find every word. */
export const wordsOf = (text: string): string[] => [
  ...new Set(
    inOneLine(text)
      .split(" ")
      .filter((word) => word !== "")
      .map(bare),
  ),
];

/**
 * Returns a text on one line, in NFC: a letter with its dots may come as two characters (NFD), as in file names of a
 * Mac.
 */
const inOneLine = (text: string): string => withoutEnds(text.normalize("NFC")).replace(/\s+/gu, " ");

/**
 * Removes brackets, quotation marks, commas and semicolons at the ends of a word: they come along when the word is
 * copied.
 */
function bare(word: string): string {
  const stripped = word.replace(/^[<>()[\]"'„“”‚‘’,;]+|[<>()[\]"'„“”‚‘’,;]+$/gu, "");
  return stripped === "" ? word : stripped;
}

/**
 * Folds a text for comparison: no letter case, and ä, ö, ü and ß as people write them on keyboards without these
 * letters.
 */
export const foldText = (text: string): string =>
  text.toLowerCase().replace(/[äöüß]/g, (letter) => germanLetters[letter as keyof typeof germanLetters]);

export const germanLetters = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" } as const;

/** How well a text fits a search; smaller is better. */
export const fits = { exact: 0, beginning: 1, wordBeginning: 2, inside: 3 } as const;
export type Fit = (typeof fits)[keyof typeof fits];

/**
 * Returns how well the texts of a finding fit a search: the fit of the whole search if it begins a word of one of the
 * texts, else the fit of the search's worst word.
 */
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

/** The criteria that order findings. */
export interface Ranked {
  fit: Fit;
  /** Offboarded, revoked, expired or switched off. */
  ended: boolean;
  createdAt: Date;
}

/** Orders findings: the best fit first, then findings that have not ended, then the newest. */
export const compareFindings = (a: Ranked, b: Ranked): number =>
  a.fit - b.fit || Number(a.ended) - Number(b.ended) || b.createdAt.getTime() - a.createdAt.getTime();
