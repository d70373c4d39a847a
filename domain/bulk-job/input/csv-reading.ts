import { csvSeparators, unguardCell, type CsvSeparator } from "../../csv.ts";

/**
 * Options of csv-parse for a table of text: RFC 4180, and the variants that spreadsheets and people write. The API and
 * the console's preview share them, so both see the same rows.
 */
export const csvReading = {
  record_delimiter: "\n",
  relax_column_count: true,
  relax_quotes: true,
} as const;

/** Ends each line with LF. CR, LF and CRLF may be mixed, as in files that several programs have appended to. */
export const unifyLineEnds = (text: string): string => text.replace(/\r\n?/g, "\n");

/**
 * Does the same as {@link unifyLineEnds} for text that comes in pieces. A CR at the end of a piece waits for the next
 * piece.
 */
export async function* unifiedLineEnds(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let held = "";
  for await (const piece of pieces) {
    const text = held + piece;
    held = text.endsWith("\r") ? "\r" : "";
    yield unifyLineEnds(held === "" ? text : text.slice(0, -1));
  }
  if (held !== "") yield "\n";
}

/** Where a table starts, and its separator. */
export interface CsvStart {
  separator: CsvSeparator;
  /** Characters before the table: a byte order mark, a line `sep=;`. */
  skipped: number;
}

/**
 * Returns the start of a table whose lines end in LF. The separator is the one that `sep=;` names, else the most common
 * separator in the first line.
 */
export function csvStart(head: string): CsvStart {
  const [before = "", named] = /^\ufeff?(?:sep=([,;\t])\n)?/i.exec(head) ?? [];
  const isNamed = csvSeparators.find((separator) => separator === named);
  return { separator: isNamed ?? commonest(head.slice(before.length)), skipped: before.length };
}

/** Returns the separator that occurs most often in the first line with any text, outside of quotation marks. */
function commonest(text: string): CsvSeparator {
  const [line = ""] = text
    .replace(/"(?:[^"]|"")*"/g, "")
    .trimStart()
    .split("\n", 1);
  const count = (separator: string): number => line.split(separator).length;
  return csvSeparators.reduce((most, separator) => (count(separator) > count(most) ? separator : most));
}

/**
 * Matches a quoted text after a blank, or in a formula that programs write to keep leading zeros in spreadsheets:
 * `="0042"`.
 */
const wrapped = /^\s*(?:=|\s)"((?:[^"]|"")*)"\s*$/;

/** Returns the text of a cell, without an apostrophe that guards a formula and without wrapping quotation marks. */
export function readCell(cell: string): string {
  const unguarded = unguardCell(cell);
  if (unguarded !== cell) return unguarded;
  return wrapped.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;
}

/** Whether all cells of a row are blank. */
export const isBlankRow = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

/**
 * Returns the number of line breaks in a cell, in words; undefined for a cell on one line. Often the cell lacks its
 * closing quotation mark.
 */
export function lineBreaksIn(cell: string): string | undefined {
  const count = cell.split("\n").length - 1;
  return count === 0 ? undefined : `${count} line break${count === 1 ? "" : "s"}`;
}
