import { SSF, type CellObject } from "@e965/xlsx";
import {
  bareCells,
  bareColumn,
  bareColumns,
  neededColumns,
  type JobColumn,
} from "../../../../../domain/bulk-job/input/columns.ts";
import { cellFaults, hiddenRowFault, type CellFault } from "../../../../../domain/bulk-job/input/cell-faults.ts";
import type { RowSource, SourceRow } from "../../../../../domain/bulk-job/input/row-source.ts";
import type { JobKind } from "../../../../../domain/bulk-job/job.ts";
import { csvLine } from "../../../../../domain/csv.ts";
import { headerRowsMax, samplesMax, type TopRow } from "./top-row.ts";

/**
 * A cell of a workbook: the text that the sheet shows, with a fault if the author wrote something else. Null if the
 * cell is empty.
 */
export type SheetCell = string | { text: string; fault: CellFault } | null;

type SheetRow = readonly SheetCell[];

/** The full content of a sheet; the page gets only a summary of it. */
interface SheetContent {
  rows: readonly SheetRow[];
  hiddenRows: ReadonlySet<number>;
  hidden: boolean;
  active: boolean;
}

/** A cell with a fault, and the number of its row in the spreadsheet. */
export interface FaultyCell {
  row: number;
  /** Counted from 0. */
  column: number;
  fault: CellFault;
}

/** A summary of a sheet for the page, without most of its rows. */
export interface SheetSummary {
  name: string;
  hidden: boolean;
  active: boolean;
  /** The first rows that are not empty: one of them contains the headings. */
  top: TopRow[];
  /** The number of rows that are not empty. */
  rows: number;
  /** The numbers of hidden rows that are not empty. */
  hiddenRows: number[];
  faulty: FaultyCell[];
}

/** Numbers from 10^15 on have at least 16 digits; spreadsheets keep only 15. */
const exactBelow = 1e15;

/** Number formats (ECMA-376 part 1, 18.8.30), which the library exports without types. */
const numberFormats = SSF as {
  is_date: (format: string) => boolean;
  format: (format: string, value: number | string) => string;
};

/**
 * Reads a cell. The cell is faulty if it contains a truth value, an error, a date, a formula without a result or with
 * the result 0, or a number of more than 15 digits. It is also faulty if its format shows something other than the
 * cell's text or digits; zeros that pad a number are allowed.
 */
export function readCell(cell: CellObject | undefined): SheetCell {
  if (cell === undefined) return null;
  const { t, v, w, f } = cell;
  const shown = (w ?? String(v ?? "")).trim();
  switch (t) {
    case "z":
      return f === undefined ? null : { text: "", fault: "formula" };
    case "s":
      return readText(String(v ?? ""), formatted(cell).shown);
    case "b":
      return { text: shown, fault: "truth" };
    case "e":
      return { text: shown, fault: "error" };
    case "d":
      return { text: shown, fault: "date" };
    case "n":
      return readNumber(Number(v), { ...formatted(cell), isFormula: f !== undefined });
  }
}

/** The language of a format, for dates and digits. The library would show the language as a currency sign: `$0042`. */
const language = /\[\$-[^\]]*\]/g;

interface Formatted {
  format: string;
  /** The shown text, trimmed; undefined if the format cannot be read. */
  shown: string | undefined;
}

/** Returns the text that a spreadsheet shows for a cell with text or a number. */
function formatted({ v, w, z }: CellObject): Formatted {
  const given = String(z ?? "General");
  const format = given.replace(language, "");
  if (format === given) return { format, shown: w?.trim() };
  try {
    return { format, shown: numberFormats.format(format, v as number | string).trim() };
  } catch {
    return { format, shown: undefined };
  }
}

const readText = (text: string, shown: string | undefined): SheetCell =>
  shown === text.trim() ? text : { text: shown ?? text, fault: "shown" };

function readNumber(value: number, { shown, format, isFormula }: Formatted & { isFormula: boolean }): SheetCell {
  if (numberFormats.is_date(format)) return { text: numberFormats.format("yyyy-mm-dd", value), fault: "date" };
  const text = String(value);
  if (Math.abs(value) >= exactBelow) return { text, fault: "rounded" };
  if (isFormula && value === 0) return { text, fault: "blank" };
  // "General" shows fewer digits of a long number than the author typed, but the value has all of them.
  if (shown === text || (/^general$/i.test(format) && Number.isInteger(value))) return text;
  const isPadded = shown !== undefined && /^\d+$/.test(shown) && Number(shown) === value;
  return isPadded ? shown : { text: shown ?? text, fault: "shown" };
}

const textOf = (cell: SheetCell): string => (typeof cell === "string" ? cell : (cell?.text ?? ""));

const isEmpty = (row: SheetRow): boolean =>
  row.every((cell) => cell === null || (typeof cell === "string" && cell.trim() === ""));

/** Summarises a sheet. Returns undefined if the sheet is empty. */
export function summaryOf(
  name: string,
  { rows, hiddenRows, hidden, active }: Readonly<SheetContent>,
): SheetSummary | undefined {
  const used = rows.flatMap((cells, index) => (isEmpty(cells) ? [] : [{ row: index + 1, cells }]));
  if (used.length === 0) return undefined;
  return {
    ...{ name, hidden, active },
    top: used
      .slice(0, headerRowsMax + samplesMax)
      .map(({ row, cells }) => ({ row, cells: cells.map((cell) => textOf(cell).trim()) })),
    rows: used.length,
    hiddenRows: used.flatMap(({ row }) => (hiddenRows.has(row) ? [row] : [])),
    faulty: used.flatMap(({ row, cells }) =>
      cells.flatMap((cell, column) => {
        const fault = faultOf(cell);
        return fault === undefined ? [] : [{ row, column, fault }];
      }),
    ),
  };
}

const faultOf = (cell: SheetCell): CellFault | undefined =>
  cell === null || typeof cell === "string" ? undefined : cell.fault;

/**
 * Returns true if a fault makes a cell of this column unusable. A formula's 0 may mean an empty cell, which makes an id
 * unusable but not a limit.
 */
export const spoils = (fault: CellFault, column: JobColumn): boolean => fault !== "blank" || column !== "maxProfiles";

/** The column and the heading for each cell of a row; undefined for ignored cells. */
export type ChosenColumns = readonly ({ column: JobColumn; heading: string } | undefined)[];

/** How to read the rows of a sheet. */
export interface SheetChoice {
  kind: JobKind;
  headerRow: number;
  /**
   * `bare`: the sheet has no headings. The first row is data like all others, and its first cell identifies the person
   * or profile.
   */
  columns: ChosenColumns | "bare";
  /**
   * Whether to omit the content of rows that the spreadsheet hides. Such rows keep their places, and fail without
   * content.
   */
  leavesHidden?: boolean;
}

/** The heading of the column that explains why a row cannot be used. No column of a job has this name. */
export const faultHeading = "fault";

/**
 * Converts a sheet to CSV for the service: the chosen columns, the fault of each unusable row, and one line for each
 * row of the spreadsheet, so rows keep their numbers. Only the lines of empty rows are blank.
 */
export function csvOfSheet(
  data: readonly SheetRow[],
  choice: SheetChoice,
  hiddenRows: ReadonlySet<number> = new Set(),
): string[] {
  const leftOut = choice.leavesHidden === true ? hiddenRows : new Set<number>();
  const { columns, headings, rows } = sourceOf(data, choice, leftOut);
  const lines = [csvLine([...headings, faultHeading])];
  for (const row of rows) {
    if (row === undefined) lines.push("\r\n");
    else lines.push(csvLine([...columns.map((column) => row.cells.get(column) ?? ""), row.fault ?? ""]));
  }
  return lines;
}

/** Returns the columns of a sheet and its rows of data. A row is read only on demand. */
function sourceOf(
  data: readonly SheetRow[],
  { kind, headerRow, columns }: SheetChoice,
  leftOut: ReadonlySet<number>,
): RowSource<Iterable<SourceRow<string> | undefined>> {
  function* rowsFrom(
    first: number,
    read: (row: SheetRow) => SourceRow<string>,
  ): Generator<SourceRow<string> | undefined> {
    for (const [index, row] of data.slice(first).entries()) {
      if (isEmpty(row)) yield undefined;
      else yield leftOut.has(first + index + 1) ? { cells: new Map(), fault: hiddenRowFault } : read(row);
    }
  }
  if (columns === "bare") {
    const known = bareColumns(kind);
    return { columns: known, headings: known, rows: rowsFrom(headerRow - 1, (row) => bareRow(kind, row)) };
  }
  const chosen = columns.flatMap((each, index) => (each === undefined ? [] : [{ ...each, index }]));
  return {
    columns: chosen.map(({ column }) => column),
    headings: chosen.map(({ heading }) => heading),
    rows: rowsFrom(headerRow, (row) => headedRow(kind, row, chosen)),
  };
}

function headedRow(
  kind: JobKind,
  row: SheetRow,
  chosen: readonly { column: JobColumn; index: number }[],
): SourceRow<string> {
  const [fault] = chosen.flatMap(({ column, index }) => {
    const found = faultOf(row[index] ?? null);
    return found !== undefined && spoils(found, column) ? [`${column}: ${cellFaults[found]}`] : [];
  });
  const cells = new Map(chosen.map(({ column, index }) => [column, textOf(row[index] ?? null)]));
  const isMissing = [...cells.values()].every((cell) => cell.trim() === "");
  return { cells, fault: fault ?? (isMissing ? `${neededColumns[kind].join(" or ")}: is missing` : undefined) };
}

function bareRow(kind: JobKind, [first = null, ...others]: SheetRow): SourceRow<string> {
  const cells = bareCells(kind, textOf(first).trim());
  const fault = faultOf(first);
  if (fault !== undefined) return { cells, fault: `${bareColumn[kind]}: ${cellFaults[fault]}` };
  return { cells, fault: isEmpty(others) ? undefined : "The row has more than one cell." };
}
