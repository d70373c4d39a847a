import { z } from "zod";

/** A switch: on if given. */
export const isSet = z.boolean().default(false);

/** Returns a schema for a whole number in decimal. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

/** Returns a schema for one of a few words. */
export const oneOf = <const Word extends string>(choices: readonly Word[]) =>
  z.enum(choices, `must be one of ${choices.join(", ")}`);
