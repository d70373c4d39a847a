import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { bareCells, bareColumn, bareColumns, type JobColumn } from "../../../../domain/bulk-job/input/columns.ts";
import {
  csvReading,
  csvStart,
  isBlankRow,
  lineBreaksIn,
  readCell,
  unifiedLineEnds,
  type CsvStart,
} from "../../../../domain/bulk-job/input/csv-reading.ts";
import type { RowSource, SourceRow } from "../../../../domain/bulk-job/input/row-source.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import { readColumns, type ColumnChoices, type HeadedColumn } from "./csv-columns.ts";
import { inputText, rowCharactersMax, UnusableFile } from "./input.ts";

/**
 * Reads a table as spreadsheets write it (RFC 4180 and Excel's variants of it): separated by comma, semicolon or tab,
 * whichever the header uses, with any line ending, and with or without `sep=;` before the header. Skips blank lines
 * before the header.
 */
export async function csvInput(kind: JobKind, text: AsyncIterable<string>, choices: ColumnChoices): Promise<RowSource> {
  const { start, rest } = await readStart(unifiedLineEnds(text));
  const parser = parse({ ...csvReading, delimiter: start.separator, max_record_size: rowCharactersMax });
  const source = Readable.from(rest, { objectMode: true });
  const reading = pipeline(source, parser);
  // Errors surface where records are read.
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
  const read = readColumns(kind, header, choices);
  if (read === "bare") {
    const columns = bareColumns(kind);
    return {
      columns,
      headings: columns,
      rows: rowsOf(records, { blank: passedOver, first: header, read: bareReader(kind) }),
    };
  }
  const given = read.filter((each): each is HeadedColumn & { column: JobColumn } => isInput(each.column));
  return {
    columns: given.map(({ column }) => column),
    headings: given.map(({ heading }) => heading),
    rows: rowsOf(records, { blank: passedOver, read: headedReader(read.map(({ column }) => column)) }),
  };
}

/** Reads far enough to know the header; `rest` yields the whole text except a byte order mark and a `sep=` line. */
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

/**
 * Yields undefined for each blank line and a row for each other line; `blank` blank lines come before the records.
 * Blank lines have numbers too, since editors count them.
 */
async function* rowsOf(
  records: AsyncIterable<string[]>,
  { blank, first, read }: { blank: number; first?: string[]; read: (record: readonly string[]) => SourceRow },
): AsyncGenerator<SourceRow | undefined> {
  for (let line = 0; line < blank; line++) yield undefined;
  if (first !== undefined) yield read(first);
  for await (const record of records) yield isBlankRow(record) ? undefined : read(record);
}

function headedReader(columns: readonly Column[]): (record: readonly string[]) => SourceRow {
  const faultAt = columns.indexOf("fault");
  return (record) => {
    const cells = new Map<JobColumn, string>();
    columns.forEach((column, index) => {
      if (isInput(column)) cells.set(column, readCell(record[index] ?? ""));
    });
    return { cells, fault: inputText(record[faultAt]?.trim()) ?? rowFault(record, columns) };
  };
}

/** Returns a reader for a table without a heading that contains only identifiers, addresses or serial numbers. */
function bareReader(kind: JobKind): (record: readonly string[]) => SourceRow {
  const column = bareColumn[kind];
  return (record) => {
    const value = readCell(record[0] ?? "").trim();
    const fault = isBlankRow(record.slice(1)) ? rowFault(record, [column]) : "The row has more than one cell.";
    return fault === undefined ? { cells: bareCells(kind, value) } : { cells: new Map([[column, value]]), fault };
  };
}

/**
 * Returns true for a certificate or key, which contains line breaks: a results file can be the input of another job.
 */
const isPem = (cell: string): boolean => cell.startsWith("-----BEGIN ");

/** Returns why a row cannot be read as its columns require. */
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
