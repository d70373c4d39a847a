import { z } from "zod";
import { argument, flag, option } from "../../terminal/command.ts";
import { isSet, oneOf, wholeNumber } from "../../terminal/inputs.ts";

/** Options and arguments of several commands. */

export const csvFlag = flag("as CSV", isSet);

export const pair = (separator: string) =>
  z.array(
    z.string().refine((text) => text.indexOf(separator) > 0 && !text.endsWith(separator), {
      message: `must look like key${separator}value`,
    }),
  );

/** Returns a check that refuses the first text whose key an earlier text has; undefined is the key of a faulty text. */
export const onceEach =
  (keyOf: (text: string) => string | undefined, fold = (key: string): string => key) =>
  (texts: readonly string[], context: z.RefinementCtx): void => {
    const given = new Set<string>();
    for (const key of texts.map(keyOf)) {
      if (key === undefined) continue;
      if (given.has(fold(key))) {
        context.addIssue(`${key} is given twice`);
        return;
      }
      given.add(fold(key));
    }
  };

/** Returns the text before the position of a separator; undefined if there is no separator. */
export const before = (text: string, at: number): string | undefined => (at < 0 ? undefined : text.slice(0, at));

/** The options of lists; a list may use only some. */
export const listOptions = {
  limit: option("N", "at most this many; default: all", wholeNumber(1, 999_999_999).optional()),
  search: option("TEXT", "only rows that contain it", z.string().min(1).max(256).optional()),
  filter: option(
    "KEY=VALUE",
    "only rows that match; may be given several times",
    pair("=")
      .superRefine(onceEach((text) => before(text, text.indexOf("="))))
      .default([]),
    { many: true },
  ),
  sort: option(
    "KEY[:desc]",
    "order; may be given several times",
    z
      .array(z.string().min(1))
      .superRefine(onceEach((text) => text.split(":")[0]))
      .default([]),
    { many: true },
  ),
  csv: csvFlag,
};

const reasons = {
  unspecified: 0,
  "key-compromise": 1,
  "affiliation-changed": 3,
  superseded: 4,
  "cessation-of-operation": 5,
  "privilege-withdrawn": 9,
} as const;
const reasonNames = Object.keys(reasons) as (keyof typeof reasons)[];

export const reasonOption = option(
  "REASON",
  `why: ${reasonNames.join(", ")}`,
  oneOf(reasonNames)
    .transform((name) => reasons[name])
    .optional(),
  { choices: reasonNames },
);

export const userArgument = argument("USER", "userID, or pairwiseID or e-mail address", z.string().min(1));
export const usersArgument = argument(
  "USER…",
  "userIDs, or pairwiseIDs or e-mail addresses",
  z.array(z.string().min(1)).min(1, "is required"),
  { many: true },
);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const jobArgument = argument("JOB", "its id", z.string().regex(uuid, "must be a job's id (a UUID)"));

export const outOption = option(
  "FILE",
  "write to this file instead, readable only by you",
  z.string().min(1).optional(),
);
