import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { bareCells, bareColumns, type JobColumn } from "../../../../domain/bulk-job/input/columns.ts";
import {
  csvReading,
  csvStart,
  isBlankRow,
  lineBreaksIn,
  unifiedLineEnds,
  type CsvStart,
} from "../../../../domain/bulk-job/input/csv-reading.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import { unguardCell } from "../../../../domain/csv.ts";
import { readColumns, type ColumnChoices, type HeadedColumn } from "./csv-columns.ts";
import { givenOf, inputText, rowCharactersMax, UnusableFile, type FoundInput, type ParsedRow } from "./input.ts";

/**
 * A table as spreadsheets write it (RFC 4180, and what Excel makes of it): comma, semicolon or tab, whichever the header
 * has, any line ending, `sep=;` before the header. Blank lines before the header are passed over.
 */
export async function csvInput(
  kind: JobKind,
  text: AsyncIterable<string>,
  choices: ColumnChoices,
): Promise<FoundInput> {
  const { start, rest } = await readStart(unifiedLineEnds(text));
  const parser = parse({ ...csvReading, delimiter: start.separator, max_record_size: rowCharactersMax });
  const source = Readable.from(rest, { objectMode: true });
  const reading = pipeline(source, parser);
  // Faults surface where records are read.
  reading.catch(() => undefined);
  const records = readRecords(parser);

  let header: string[] | undefined;
  let passedOver = -1;
  try {
    do {
      const next: IteratorResult<string[], undefined> = await records.next();
      header = next.value;
      passedOver += 1;
    } while (header !== undefined && isBlankRow(header));
  } catch (error) {
    parser.destroy();
    throw error;
  }
  if (header === undefined) throw new UnusableFile("The file is empty.");
  const columns = readColumns(kind, header, choices);
  if (columns === "bare") return { columns: bareColumns(kind), rows: bareRows(kind, header, records, passedOver) };
  return {
    columns: columns.flatMap(({ heading, column }) => (isInput(column) ? [heading] : [])),
    rows: rowsOf(
      records,
      columns.map(({ column }) => column),
      passedOver,
    ),
  };
}

/** Enough of the beginning to know the header, and the whole text again. */
async function readStart(text: AsyncIterable<string>): Promise<{ start: CsvStart; rest: AsyncGenerator<string> }> {
  const iterator = text[Symbol.asyncIterator]();
  let head = "";
  while (head.length < rowCharactersMax && !/[^\n]\n[^\n]*\n/.test(head)) {
    const next: IteratorResult<string, unknown> = await iterator.next();
    if (next.done === true) break;
    head += next.value;
  }
  const start = csvStart(head);

  async function* rest(): AsyncGenerator<string> {
    if (head.length > start.skipped) yield head.slice(start.skipped);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return { start, rest: rest() };
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

type Column = HeadedColumn["column"];
const isInput = (column: Column): column is JobColumn => column !== "ignored" && column !== "fault";

/** Rows that are not blank. `passedOver` blank lines before the header count as positions, as editors count them. */
async function* rowsOf(
  records: AsyncIterable<string[]>,
  columns: readonly Column[],
  passedOver: number,
): AsyncGenerator<ParsedRow> {
  const faultAt = columns.indexOf("fault");
  let position = passedOver;
  for await (const record of records) {
    position += 1;
    if (isBlankRow(record)) continue;
    const cells = new Map<JobColumn, string>();
    columns.forEach((column, index) => {
      if (isInput(column)) cells.set(column, unguardCell(record[index] ?? ""));
    });
    const given = [...cells.values()].map(inputText);
    const fault = inputText(record[faultAt]?.trim()) ?? rowFault(record, columns);
    yield fault === undefined ? { position, cells, given } : { position, unreadable: fault, given };
  }
}

/** A certificate or a key in a results file, which is taken as the input of another job. It has lines by itself. */
const isPem = (cell: string): boolean => cell.startsWith("-----BEGIN ");

/** Why a row cannot be read as what its columns say. */
function rowFault(record: readonly string[], columns: readonly Column[]): string | undefined {
  if (!isBlankRow(record.slice(columns.length))) return "The row has more cells than the header.";
  for (const [index, cell] of record.entries()) {
    const breaks = lineBreaksIn(cell);
    if (breaks === undefined || isPem(cell)) continue;
    const column = columns[index];
    return column !== undefined && isInput(column) ? `${column}: holds ${breaks}` : `A cell holds ${breaks}.`;
  }
  return undefined;
}

/** Rows of a table of nothing but identifiers, addresses or serial numbers, without a heading. */
async function* bareRows(
  kind: JobKind,
  first: readonly string[],
  records: AsyncIterable<string[]>,
  passedOver: number,
): AsyncGenerator<ParsedRow> {
  const columns = bareColumns(kind);
  let position = passedOver;
  const rowOf = (record: readonly string[]): ParsedRow | undefined => {
    position += 1;
    if (isBlankRow(record)) return undefined;
    const value = unguardCell(record[0] ?? "").trim();
    const fault = isBlankRow(record.slice(1))
      ? rowFault(record, [columns[0] ?? "ignored"])
      : "The row has more than one cell.";
    if (fault !== undefined) {
      return {
        position,
        unreadable: fault,
        given: columns.map((_, index) => (index === 0 ? inputText(value) : null)),
      };
    }
    const cells = bareCells(kind, value);
    return { position, cells, given: givenOf(columns, cells) };
  };
  const begin = rowOf(first);
  if (begin !== undefined) yield begin;
  for await (const record of records) {
    const row = rowOf(record);
    if (row !== undefined) yield row;
  }
}
