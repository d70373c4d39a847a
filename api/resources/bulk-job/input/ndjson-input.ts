import { unifiedLineEnds } from "../../../../domain/bulk-job/input/csv-reading.ts";
import { jobColumns } from "../../../../domain/bulk-job/input/columns.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import { ServiceError } from "../../../../domain/errors.ts";
import { parseJson } from "../../../http/json-text.ts";
import { rowCharactersMax, type FoundInput, type ParsedRow } from "./input.ts";
import { rowOf, unreadableRowOf } from "./json-row.ts";

/** A JSON object in each line. A line that is none is a row that cannot be used. */
export const ndjsonInput = (kind: JobKind, text: AsyncIterable<string>): FoundInput => ({
  columns: jobColumns[kind],
  rows: rowsOf(kind, text),
});

async function* rowsOf(kind: JobKind, text: AsyncIterable<string>): AsyncGenerator<ParsedRow> {
  let position = 0;
  for await (const line of linesOf(text)) {
    position += 1;
    if (line === undefined) yield unreadableRowOf(kind, position, `The line is longer than ${rowCharactersMax} bytes.`);
    else if (line.trim() !== "") yield readLine(kind, position, line);
  }
}

function readLine(kind: JobKind, position: number, line: string): ParsedRow {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return unreadableRowOf(kind, position, error.message.replace("The body", "The line"));
  }
  return rowOf(kind, position, value);
}

/** Lines without their ends, which may be CR, LF or CRLF; undefined for one that is too long to be held. */
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
