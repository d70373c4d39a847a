import { groupSerial } from "./serial-digits.ts";
import { createTimeWriter } from "./time-zone.ts";
import type { Language } from "./words/language.ts";

/** What separates the cells of a line. */
export const csvSeparators = [",", ";", "\t"] as const;
export type CsvSeparator = (typeof csvSeparators)[number];

/** The text of a cell; null is empty. `unguarded` is text of our own making that is written as it is, PEM for example. */
export type CsvCell = string | number | boolean | null | { unguarded: string };

/**
 * Where a spreadsheet would see a formula: at the start of a cell, and after each character at which a reader with other
 * settings begins a new one. Apostrophes before it are part of the pattern, so that one more can be taken away again.
 */
const formula = /^(?='*[=+\-@\t\r\n])|(?<=[,;\t\r\n])(?=["']*[=+\-@])/g;
const guardedFormula = /^'(?='*[=+\-@\t\r\n])|(?<=[,;\t\r\n])'(?=["']*[=+\-@])/g;

/** A cell in which no spreadsheet finds a formula: an apostrophe is put before each. */
const guardCell = (text: string): string => text.replace(formula, "'");

/** The text of a cell before {@link csvLine} guarded it: one apostrophe fewer before each formula, nothing else changed. */
export const unguardCell = (cell: string): string => cell.replace(guardedFormula, "");

/** A line of CSV (RFC 4180, with another separator if one is given). Formulas in it are guarded by apostrophes. */
export const csvLine = (cells: readonly CsvCell[], separator: CsvSeparator = ","): string =>
  `${cells.map((cell) => quoted(textOf(cell), separator)).join(separator)}\r\n`;

function textOf(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "string") return guardCell(cell);
  return typeof cell === "object" ? cell.unguarded : String(cell);
}

const quoted = (text: string, separator: CsvSeparator): string =>
  text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Whom a file is written for: the language that they read, and the time zone that they live in. */
export interface CsvReader {
  language: Language;
  zone: string;
}

/** A column of a file for people: what it is called, and what a row has in it. Times are ISO 8601. */
export type CsvColumn<Row> = { title: string } & (
  { text: (row: Row) => CsvCell } | { time: (row: Row) => string | null } | { serial: (row: Row) => string | null }
);

/** What spreadsheets in each language take for the end of a cell. */
const separatorOf: Readonly<Record<Language, CsvSeparator>> = { en: ",", de: ";" };

/**
 * A table as people open it: with the byte order mark by which spreadsheets know UTF-8, cells and times as their language
 * has them, the zone of a time in its heading, and serial numbers in groups, so that no spreadsheet rounds them.
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
