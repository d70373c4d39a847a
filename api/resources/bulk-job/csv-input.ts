import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { bareColumn, isColumnOf, type JobColumn } from "../../../domain/bulk-job/columns.ts";
import type { JobKind } from "../../../domain/bulk-job/job.ts";
import { csvSeparators, unguardCell } from "../../../domain/csv.ts";
import { isEmailAddress } from "../../../domain/email.ts";
import { readColumns, type ColumnChoices, type HeadedColumn } from "./csv-columns.ts";
import { givenOf, inputText, rowCharactersMax, UnusableFile, type FoundInput, type ParsedRow } from "./input.ts";

/**
 * A table as spreadsheets write it (RFC 4180, and what Excel makes of it): comma, semicolon or tab, whichever the header
 * has, any line ending, `sep=;` before the header.
 */
export async function csvInput(
  kind: JobKind,
  text: AsyncIterable<string>,
  choices: ColumnChoices,
): Promise<FoundInput> {
  const { head, rest } = await readHead(text);
  const parser = parse({
    delimiter: delimiterOf(head),
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: rowCharactersMax,
  });
  const source = Readable.from(rest, { objectMode: true });
  const reading = pipeline(source, parser);
  // What goes wrong is told where records are read.
  reading.catch(() => undefined);
  const records = readRecords(parser);

  let header: string[] | undefined;
  try {
    const next: IteratorResult<string[], undefined> = await records.next();
    header = next.value;
  } catch (error) {
    parser.destroy();
    throw error;
  }
  if (header === undefined) throw new UnusableFile("The file is empty.");
  const columns = readColumns(kind, header, choices);
  if (columns === "bare") return { columns: bareColumns(kind), rows: bareRows(kind, header, records) };
  return {
    columns: columns.flatMap(({ heading, column }) => (column === "ignored" ? [] : [heading])),
    rows: rowsOf(
      records,
      columns.map(({ column }) => column),
    ),
  };
}

/** Enough of the beginning to know the header, and the whole text again. */
async function readHead(text: AsyncIterable<string>): Promise<{ head: string; rest: AsyncGenerator<string> }> {
  const iterator = text[Symbol.asyncIterator]();
  let head = "";
  while (head.length < rowCharactersMax && !/[^\r\n]\r?\n[^\r\n]*[\r\n]/.test(head)) {
    const next: IteratorResult<string, unknown> = await iterator.next();
    if (next.done === true) break;
    head += next.value;
  }
  const separated = /^sep=[,;\t]\r?\n/i.exec(head)?.[0] ?? "";

  async function* rest(): AsyncGenerator<string> {
    if (head.length > separated.length) yield head.slice(separated.length);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return { head, rest: rest() };
}

/** What Excel was told, else what occurs most often in the header outside of quotation marks. */
function delimiterOf(head: string): string {
  const told = /^sep=([,;\t])/i.exec(head)?.[1];
  if (told !== undefined) return told;
  const [header = ""] = head
    .replace(/"(?:[^"]|"")*"/g, "")
    .trimStart()
    .split(/[\r\n]/, 1);
  const count = (delimiter: string): number => header.split(delimiter).length;
  return csvSeparators.reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
}

async function* readRecords(parser: AsyncIterable<string[]>): AsyncGenerator<string[], undefined> {
  try {
    yield* parser;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error["lines"] === "number" ? error["lines"] : 0;
    throw new UnusableFile(
      error.code === "CSV_QUOTE_NOT_CLOSED"
        ? `A quotation mark that opens in line ${line} is not closed.`
        : `The row that ends around line ${line} is longer than ${rowCharactersMax} bytes; is a quotation mark missing?`,
      { cause: error },
    );
  }
  return undefined;
}

async function* rowsOf(
  records: AsyncIterable<string[]>,
  columns: readonly HeadedColumn["column"][],
): AsyncGenerator<ParsedRow> {
  let position = 0;
  for await (const record of records) {
    position += 1;
    if (record.every((cell) => cell.trim() === "")) continue;
    const cells = new Map<JobColumn, string>();
    columns.forEach((column, index) => {
      if (column !== "ignored") cells.set(column, unguardCell(record[index] ?? ""));
    });
    const given = [...cells.values()].map(inputText);
    yield record.slice(columns.length).some((cell) => cell.trim() !== "")
      ? { position, unreadable: "The row has more cells than the header.", given }
      : { position, cells, given };
  }
}

const bareColumns = (kind: JobKind): JobColumn[] =>
  isColumnOf(kind, "email") ? [bareColumn[kind], "email"] : [bareColumn[kind]];

/**
 * Rows of a table that is nothing but identifiers, addresses or serial numbers, without a heading. An address names somebody by their
 * e-mail; it may be the pairwise id of a person who leaves as well, but never makes somebody who joins.
 */
async function* bareRows(
  kind: JobKind,
  first: readonly string[],
  records: AsyncIterable<string[]>,
): AsyncGenerator<ParsedRow> {
  const columns = bareColumns(kind);
  let position = 0;
  const rowOf = (record: readonly string[]): ParsedRow | undefined => {
    position += 1;
    const value = unguardCell(record[0] ?? "").trim();
    if (record.slice(1).some((cell) => cell.trim() !== "")) {
      return {
        position,
        unreadable: "The row has more than one cell.",
        given: columns.map((_, index) => (index === 0 ? inputText(value) : null)),
      };
    }
    if (value === "") return undefined;
    const isAddress = isColumnOf(kind, "email") && isEmailAddress(value);
    const cells = new Map<JobColumn, string>();
    if (!isAddress || kind !== "onboarding") cells.set(bareColumn[kind], value);
    if (isAddress) cells.set("email", value);
    return { position, cells, given: givenOf(columns, cells) };
  };
  const begin = rowOf(first);
  if (begin !== undefined) yield begin;
  for await (const record of records) {
    const row = rowOf(record);
    if (row !== undefined) yield row;
  }
}
