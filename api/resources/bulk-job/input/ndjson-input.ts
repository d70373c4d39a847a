import { unifiedLineEnds } from "../../../../domain/bulk-job/input/csv-reading.ts";
import { jobColumns } from "../../../../domain/bulk-job/input/columns.ts";
import type { RowSource, SourceRow } from "../../../../domain/bulk-job/input/row-source.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import { ServiceError } from "../../../../domain/errors.ts";
import { parseJson } from "../../../http/json-text.ts";
import { rowCharactersMax } from "./input.ts";
import { faulty, rowOf } from "./json-row.ts";

/** Reads one row per line, as JSON, and skips blank lines. Any other line is a row that cannot be used. */
export const ndjsonInput = (kind: JobKind, text: AsyncIterable<string>): RowSource => ({
  columns: jobColumns[kind],
  headings: jobColumns[kind],
  rows: rowsOf(kind, text),
});

async function* rowsOf(kind: JobKind, text: AsyncIterable<string>): AsyncGenerator<SourceRow | undefined> {
  for await (const line of linesOf(text)) {
    if (line === undefined) yield faulty(`The line is longer than ${rowCharactersMax} characters.`);
    else yield line.trim() === "" ? undefined : readLine(kind, line);
  }
}

function readLine(kind: JobKind, line: string): SourceRow {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return faulty(error.message.replace("The body", "The line"));
  }
  return rowOf(kind, value);
}

/** Yields lines without their ends, which may be CR, LF or CRLF; undefined for a line too long to hold. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string | undefined> {
  let begun = "";
  let tooLong = false;
  for await (const piece of unifiedLineEnds(text)) {
    const [first = "", ...others] = piece.split("\n");
    begun += tooLong ? "" : first;
    if (begun.length > rowCharactersMax) {
      tooLong = true;
      begun = "";
    }
    if (others.length === 0) continue;
    yield tooLong ? undefined : begun;
    begun = others.pop() ?? "";
    tooLong = false;
    for (const line of others) yield line.length > rowCharactersMax ? undefined : line;
  }
  if (tooLong || begun !== "") yield tooLong ? undefined : begun;
}
