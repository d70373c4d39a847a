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
