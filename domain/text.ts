import { z } from "zod";

/** Returns the length of a text in characters, as Postgres counts them. */
export const lengthOf = (value: string): number => Array.from(value).length;

/** Text for people, on one line. */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine((value) => lengthOf(value) >= min && lengthOf(value) <= max, `must have ${min} to ${max} characters`)
    .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), "must not contain control characters");

/** Text for people, on any number of lines. */
export const lines = (max: number) =>
  z
    .string()
    .refine((value) => lengthOf(value) <= max, `must have at most ${max} characters`)
    .refine((value) => !/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(value), "must not contain control characters");
