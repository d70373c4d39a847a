import type { JobColumn } from "../../../../domain/bulk-job/columns.ts";
import { csvLine } from "../../../../domain/csv.ts";

/** A number as a workbook has it: its digits. */
export interface SheetNumber {
  digits: string;
}

/** A cell of a workbook. */
export type SheetCell = string | SheetNumber | boolean | Date | null;

/** Why a cell is not what its author wrote: a spreadsheet made a date of it, or kept 15 of its digits. */
export type CellFault = "date" | "rounded";

/** A cell that cannot be used, by the number that the spreadsheet shows beside its row. */
export interface FaultyCell {
  row: number;
  /** Counted from 0. */
  column: number;
  fault: CellFault;
}

/** A sheet as the page shows it, without all of its rows. */
export interface SheetSummary {
  name: string;
  headings: string[];
  /** The number that the spreadsheet shows beside the row of the headings. */
  headerRow: number;
  /** Some rows to look at. */
  samples: string[][];
  rows: number;
  faulty: FaultyCell[];
}

const samplesMax = 5;

/** From 10^15 on a number has 16 digits, of which spreadsheets keep 15. */
const exactBelow = 1e15;

/** What a cell says, as text. */
export function textOfCell(cell: SheetCell): string {
  if (cell === null) return "";
  if (typeof cell === "string") return cell;
  if (typeof cell === "boolean") return String(cell);
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  return /^-?[0-9]+$/.test(cell.digits) ? cell.digits : String(Number(cell.digits));
}

/** What is wrong with a cell that has to be what its author wrote. */
export function faultOf(cell: SheetCell): CellFault | undefined {
  if (cell instanceof Date) return "date";
  if (cell === null || typeof cell !== "object") return undefined;
  return Math.abs(Number(cell.digits)) >= exactBelow ? "rounded" : undefined;
}

const isEmpty = (row: readonly SheetCell[]): boolean => row.every((cell) => textOfCell(cell).trim() === "");

/** A sheet by its first row that has anything, which is that of the headings. Undefined: it is empty. */
export function summaryOf(name: string, data: readonly (readonly SheetCell[])[]): SheetSummary | undefined {
  const header = data.findIndex((row) => !isEmpty(row));
  if (header === -1) return undefined;
  const rows = data.slice(header + 1).filter((row) => !isEmpty(row));
  return {
    name,
    headings: (data[header] ?? []).map((cell) => textOfCell(cell).trim()),
    headerRow: header + 1,
    samples: rows.slice(0, samplesMax).map((row) => row.map(textOfCell)),
    rows: rows.length,
    faulty: data.slice(header + 1).flatMap((row, index) =>
      row.flatMap((cell, column) => {
        const fault = faultOf(cell);
        return fault === undefined ? [] : [{ row: header + 2 + index, column, fault }];
      }),
    ),
  };
}

/** The column that each cell of a row belongs to, and what it is called; undefined: it is left out. */
export type ChosenColumns = readonly ({ column: JobColumn; heading: string } | undefined)[];

/**
 * A sheet as CSV that the service reads: the chosen columns, and a line for each row of the spreadsheet, so that rows keep
 * their numbers. Rows with a faulty cell in a chosen column are empty. Without headings of its own every row is a person.
 */
export function csvOfSheet(
  data: readonly (readonly SheetCell[])[],
  { headerRow, columns, bare }: { headerRow: number; columns: ChosenColumns; bare: boolean },
): string[] {
  const chosen = columns.flatMap((each, index) => (each === undefined ? [] : [{ ...each, index }]));
  const lines = bare ? [] : [csvLine(chosen.map(({ heading }) => heading))];
  for (const row of data.slice(bare ? headerRow - 1 : headerRow)) {
    const cells = chosen.map(({ index }) => row[index] ?? null);
    const unusable = isEmpty(cells) || cells.some((cell) => faultOf(cell) !== undefined);
    lines.push(unusable ? "\r\n" : csvLine(cells.map((cell) => textOfCell(cell))));
  }
  return lines;
}
