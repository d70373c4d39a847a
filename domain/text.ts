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

/** Removes the blanks and the invisible characters around a text, which come along when it is copied. */
export const withoutEnds = (given: string): string => given.replace(ends, "");

/** Refuses format characters (Cf): with them, texts that look alike differ. */
export const checkVisible = (value: string, context: z.RefinementCtx<string>): void => {
  const index = Array.from(value).findIndex((character) => /\p{Cf}/u.test(character));
  if (index !== -1) {
    context.addIssue({ code: "custom", message: `must not contain an invisible character, as at ${index + 1}` });
  }
};

/** A name that people recognise, on one line: kept without blanks and invisible characters around it, none inside. */
export const recognisableName = (min: number, max: number) =>
  bounded(z.string().overwrite(withoutEnds), min, max).superRefine(checkVisible);

/** Text for people, on any number of lines. */
export const lines = (max: number) =>
  z
    .string()
    .refine((value) => lengthOf(value) <= max, `must have at most ${max} characters`)
    .refine((value) => !/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(value), "must not contain control characters");
