import { read, type CellObject, type WorkBook, type WorkSheet } from "@e965/xlsx";
import { readCell, type SheetCell } from "./sheet.ts";
import { mayHideRows } from "./hidden-rows.ts";
import { isWithoutCells } from "./sheet-kinds.ts";
import { columnsMax } from "./top-row.ts";

/** A sheet of a workbook. */
export interface Sheet {
  rows: SheetCell[][];
  /** The numbers of the sheet's hidden rows, as the spreadsheet numbers rows. */
  hiddenRows: ReadonlySet<number>;
  /** Whether the spreadsheet hides the sheet. */
  hidden: boolean;
  /** Whether the spreadsheet shows this sheet when it opens the workbook. */
  active: boolean;
}

/** The console refuses a workbook for this reason. */
export class RefusedWorkbook extends Error {
  override readonly name = "RefusedWorkbook";
  readonly reason: "damaged" | "tooWide";
  constructor(reason: RefusedWorkbook["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

/** The maximum number of rows in a spreadsheet's sheet. */
const rowsMax = 1_048_576;

/**
 * Reads the sheets of a workbook (.xlsx, ECMA-376), by name and in the workbook's order. Leaves out sheets without
 * cells, such as charts. Throws {@link RefusedWorkbook} if a sheet is missing or too large, and other errors if the
 * bytes are not a workbook.
 */
export function readWorkbook(bytes: Uint8Array): Map<string, Sheet> {
  const workbook = read(bytes, {
    ...{ type: "array", dense: true, cellNF: true, cellHTML: false, sheetStubs: true },
    // The library finds hidden rows only with styles, but reading styles can take ten times as long.
    cellStyles: mayHideRows(bytes),
  });
  const sheets = new Map<string, Sheet>();
  workbook.SheetNames.forEach((name, index) => {
    const sheet = workbook.Sheets[name];
    if (sheet === undefined) {
      if (isWithoutCells(bytes, relationOf(workbook, index))) return;
      throw new RefusedWorkbook("damaged");
    }
    const data = sheet["!data"];
    if (data === undefined) return;
    requireSize(data, sheet["!ref"] ?? "");
    const rows = Array.from(data, (row: CellObject[] | undefined) => Array.from(row ?? [], readCell));
    sheets.set(name, { rows, hiddenRows: hiddenRowsOf(sheet), ...placeOf(workbook, index) });
    // Deletes the cells, which take several times the memory of their text.
    delete sheet["!data"];
  });
  return sheets;
}

/** More cells would take several hundred megabytes. */
const cellsMax = 20_000_000;

/**
 * Throws if a sheet has too many rows, columns or cells, which even a small file can have. Cuts off empty columns above
 * the limit. Call before the sheet's sparse arrays are filled.
 */
function requireSize(data: CellObject[][], ref: string): void {
  const lastRow = Number(/\d+$/.exec(ref)?.[0] ?? 0);
  if (lastRow > rowsMax) throw new RefusedWorkbook("tooWide");
  let cells = 0;
  // `forEach` skips missing rows.
  data.forEach((row) => {
    if (row.length > columnsMax && row.some((cell, column) => column >= columnsMax && readCell(cell) !== null)) {
      throw new RefusedWorkbook("tooWide");
    }
    if (row.length > columnsMax) row.length = columnsMax;
    cells += row.length;
  });
  if (cells > cellsMax) throw new RefusedWorkbook("tooWide");
}

function hiddenRowsOf(sheet: WorkSheet): ReadonlySet<number> {
  const hidden = new Set<number>();
  sheet["!rows"]?.forEach(({ hidden: isHidden, hpt: height }, index) => {
    if (isHidden === true || height === 0) hidden.add(index + 1);
  });
  return hidden;
}

/** The windows of a workbook. The library reads them, but its types lack them. */
interface Views {
  WBView?: readonly { activeTab?: number }[];
}

/** Returns the id of the relationship to a sheet, which is missing from the library's types. */
const relationOf = ({ Workbook }: WorkBook, index: number): string =>
  (Workbook?.Sheets?.[index] as { id?: string } | undefined)?.id ?? "";

function placeOf({ Workbook }: WorkBook, index: number): Pick<Sheet, "hidden" | "active"> {
  const views = (Workbook as Views | undefined)?.WBView;
  return {
    hidden: (Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0,
    active: index === (views?.[0]?.activeTab ?? 0),
  };
}
