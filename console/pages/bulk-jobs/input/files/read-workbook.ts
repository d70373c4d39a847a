import { read, type CellObject } from "@e965/xlsx";
import { readCell, type SheetCell } from "./sheet.ts";

/**
 * Reads the cells of each sheet of a workbook (.xlsx, ECMA-376), by the sheet's name and in the workbook's order.
 * Throws if it is no workbook. Leaves out sheets without cells, such as charts.
 */
export function readWorkbook(bytes: Uint8Array): Map<string, SheetCell[][]> {
  const workbook = read(bytes, { type: "array", dense: true, cellNF: true, cellHTML: false, sheetStubs: true });
  const sheets = new Map<string, SheetCell[][]>();
  for (const name of workbook.SheetNames) {
    const sheet = workbook.Sheets[name];
    const data = sheet?.["!data"];
    if (sheet === undefined || data === undefined) continue;
    sheets.set(
      name,
      Array.from(data, (row: CellObject[] | undefined) => Array.from(row ?? [], readCell)),
    );
    // The cells take several times the memory of their text.
    delete sheet["!data"];
  }
  return sheets;
}
