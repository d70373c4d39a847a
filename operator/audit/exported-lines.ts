import { createReadStream } from "node:fs";
import { z } from "zod";
import type { ExportedEntry } from "../../domain/audit/export.ts";
import { CommandError } from "../../terminal/failure.ts";

const Entry = z.object({
  id: z.string(),
  date: z.string(),
  event: z.string(),
  properties: z.string(),
  realm: z.int().transform(String),
  user: z.int().transform(String).nullable(),
  client: z.string().nullable(),
  position: z.int().positive().nullable(),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});
const Head = z.strictObject({ head: z.string().nullable() });

/** A line of an export: an entry, or the head at the end of a file. The head is null if nothing was sealed. */
export type ExportedLine = { entry: ExportedEntry } | { head: string | null };

/**
 * Reads the lines of unfiltered exports, as NDJSON, one file after another. A file that ends without its head is
 * truncated or filtered; the last line shows that to the caller. Throws `file_unreadable`, `not_an_export`.
 */
export async function* exportedLines(files: readonly string[]): AsyncGenerator<ExportedLine> {
  for (const file of files) {
    let lineNumber = 0;
    let hasEnded = false;
    for await (const text of textLinesOf(file)) {
      lineNumber++;
      if (hasEnded) throw notAnExport(file, `line ${lineNumber} comes after the head`);
      const json = parse(text);
      const head = Head.safeParse(json);
      hasEnded = head.success;
      if (head.success) {
        yield head.data;
        continue;
      }
      const entry = Entry.safeParse(json);
      if (!entry.success) throw notAnExport(file, `line ${lineNumber} is not an entry`);
      yield { entry: entry.data };
    }
  }
}

async function* textLinesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  try {
    for await (const chunk of createReadStream(file, "utf8") as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new CommandError("file_unreadable", `Cannot read ${file} (${code}).`);
  }
  if (rest !== "") yield rest;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const notAnExport = (file: string, why: string): CommandError =>
  new CommandError("not_an_export", `${file} is not an export of the audit log as NDJSON: ${why}.`);
