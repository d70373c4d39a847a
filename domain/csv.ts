import { groupSerial } from "./serial-digits.ts";
import { createTimeWriter } from "./time-zone.ts";
import type { Language } from "./words/language.ts";

/** The separators between the cells of a line. */
export const csvSeparators = [",", ";", "\t"] as const;
export type CsvSeparator = (typeof csvSeparators)[number];

/**
 * The text of a cell; null is empty. `unguarded` is text that this service made, such as PEM, and is written unchanged.
 */
export type CsvCell = string | number | boolean | null | { unguarded: string };

/**
 * Matches the places where a spreadsheet would see a formula: at the start of a cell, and after each character at which
 * a reader with other settings begins a new cell. The pattern covers preceding apostrophes, so guarding can be reversed
 * exactly.
 */
const formula = /^(?='*[=+\-@\t\r\n])|(?<=[,;\t\r\n])(?=["']*[=+\-@])/g;
const guardedFormula = /^'(?='*[=+\-@\t\r\n])|(?<=[,;\t\r\n])'(?=["']*[=+\-@])/g;

/** Puts an apostrophe before each formula in a cell, so no spreadsheet evaluates it. */
const guardCell = (text: string): string => text.replace(formula, "'");

/** Reverses the guarding of {@link csvLine}: removes one apostrophe before each formula and changes nothing else. */
export const unguardCell = (cell: string): string => cell.replace(guardedFormula, "");

/** Returns a line of CSV (RFC 4180, with `separator` in place of the comma). Apostrophes guard its formulas. */
export const csvLine = (cells: readonly CsvCell[], separator: CsvSeparator = ","): string =>
  `${cells.map((cell) => quoted(textOf(cell), separator)).join(separator)}\r\n`;

function textOf(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "string") return guardCell(cell);
  return typeof cell === "object" ? cell.unguarded : String(cell);
}

const quoted = (text: string, separator: CsvSeparator): string =>
  text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The language and time zone of the person who reads a file. */
export interface CsvReader {
  language: Language;
  zone: string;
}

/** A column of a file for people: its title, and its value in a row. Times are ISO 8601. */
export type CsvColumn<Row> = { title: string } & (
  { text: (row: Row) => CsvCell } | { time: (row: Row) => string | null } | { serial: (row: Row) => string | null }
);

/** The separator that spreadsheets expect in each language. */
const separatorOf: Readonly<Record<Language, CsvSeparator>> = { en: ",", de: ";" };

/**
 * Returns the heading and the lines of a table for people. A byte order mark lets spreadsheets recognize UTF-8. The
 * separator and the times follow the reader's language, the heading of a column of times contains the time zone, and
 * serial numbers are in groups, so no spreadsheet rounds them.
 */
export function csvForPeople<Row>(
  columns: readonly CsvColumn<Row>[],
  { language, zone }: CsvReader,
): { heading: string; line: (row: Row) => string } {
  const separator = separatorOf[language];
  const writeTime = createTimeWriter({ language, zone });
  const cellOf = (column: CsvColumn<Row>, row: Row): CsvCell => {
    if ("text" in column) return column.text(row);
    const value = "time" in column ? column.time(row) : column.serial(row);
    if (value === null || value === "") return null;
    return "time" in column ? writeTime(new Date(value)) : groupSerial(value);
  };
  const titles = columns.map((column) => ("time" in column ? `${column.title} (${zone})` : column.title));
  return {
    heading: `\ufeff${csvLine(titles, separator)}`,
    line: (row) =>
      csvLine(
        columns.map((column) => cellOf(column, row)),
        separator,
      ),
  };
}
