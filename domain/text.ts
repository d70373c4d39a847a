import { z } from "zod";

/** Returns the length of a text in characters, as Postgres counts them. */
export const lengthOf = (value: string): number => Array.from(value).length;

/** Text for people, on one line. */
export const text = (min: number, max: number) => bounded(z.string(), min, max);

const bounded = (given: z.ZodString, min: number, max: number) =>
  given
    .refine((value) => lengthOf(value) >= min && lengthOf(value) <= max, `must have ${min} to ${max} characters`)
    .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), "must not contain control characters");

const ends = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;

/** Removes blanks and invisible characters from the ends of a text; people often copy them along with the text. */
export const withoutEnds = (given: string): string => given.replace(ends, "");

/** Removes the invisible characters at the ends of a text; its blanks stay. */
export const withoutInvisibleEnds = (given: string): string => given.replace(/^\p{Cf}+|\p{Cf}+$/gu, "");

/** A person's name from another system: invisible characters at its ends are removed, not refused. */
export const nameFromElsewhere = (min: number, max: number) =>
  bounded(z.string().overwrite(withoutInvisibleEnds), min, max);

const refusing =
  (unwanted: RegExp) =>
  (value: string, context: z.RefinementCtx<string>): void => {
    const index = Array.from(value).findIndex((character) => unwanted.test(character));
    if (index !== -1) {
      context.addIssue({ code: "custom", message: `must not contain an invisible character, as at ${index + 1}` });
    }
  };

/** Refuses format characters (Cf): with them, two texts that look alike can differ. */
export const checkVisible = refusing(/\p{Cf}/u);

/**
 * Refuses format characters like {@link checkVisible}, except the joiners: emoji, Persian and Indic scripts need them.
 */
export const checkVisibleButJoiners = refusing(/[^\P{Cf}\u200c\u200d]/u);

/**
 * A name that people recognise, on one line: blanks and invisible characters at its ends are removed, invisible
 * characters inside are refused.
 */
export const recognisableName = (min: number, max: number) =>
  bounded(z.string().overwrite(withoutEnds), min, max).superRefine(checkVisible);

/** Text for people, on any number of lines. */
export const lines = (max: number) =>
  z
    .string()
    .refine((value) => lengthOf(value) <= max, `must have at most ${max} characters`)
    .refine((value) => !/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(value), "must not contain control characters");
