import { z } from "zod";

/** Schemas of filter values. All values arrive as text. */
export const filters = {
  /** `true` or `false` in any letter case. */
  flag: z
    .string()
    .refine((text) => /^(?:true|false)$/i.test(text), 'must be "true" or "false"')
    .transform((text) => text.toLowerCase() === "true"),

  /** ISO 8601. Without an offset it is UTC; a date alone means the start of the day. */
  instant: z
    .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], "must be an ISO 8601 date-time")
    .transform((text) => new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes("T") ? text : `${text}Z`)),

  count: z
    .string()
    .regex(/^[0-9]{1,9}$/, "must be a whole number")
    .transform(Number),

  text: z.string().min(1).max(256),

  /** A comma-separated list, each part parsed by `item`. */
  list: <Item>(item: z.ZodType<Item, string>) =>
    z
      .string()
      .transform((text) => text.split(",").map((part) => part.trim()))
      .pipe(z.array(item).max(1000)),
};
