import { z } from "zod";
import type { CsvReader } from "../../domain/csv.ts";
import { isTimeZone } from "../../domain/time-zone.ts";
import { languages } from "../../domain/words/language.ts";

/** Query parameters that select the reader of a CSV file. */
export const csvReaderQuery = {
  lang: z
    .enum(languages, `must be one of ${languages.join(", ")}`)
    .optional()
    .describe(
      "For people to open in a spreadsheet: CSV with headings and statuses in this language, times as it writes them and " +
        "serial numbers in groups of four digits; in German with semicolons. Default: as programs read it (RFC 4180, UTC), " +
        "or English where `zone` is given.",
    ),
  zone: z
    .string()
    .refine(isTimeZone, "there is no such time zone")
    .optional()
    .describe("The time zone of times in a file for people, which headings name: `Europe/Berlin`. Default: UTC."),
};

/** Returns the reader of a CSV file; undefined for programs. */
export const csvReaderOf = ({ lang, zone }: z.output<z.ZodObject<typeof csvReaderQuery>>): CsvReader | undefined =>
  lang === undefined && zone === undefined ? undefined : { language: lang ?? languages[0], zone: zone ?? "UTC" };
