import type { SheetChoice, SheetSummary } from "./sheet.ts";

/** A workbook that a web worker has read. */
export interface Workbook {
  /** The sheets that are not empty, in the workbook's order. */
  sheets: readonly SheetSummary[];
  /** Returns a sheet as CSV. */
  csv: (sheet: SheetSummary, choice: SheetChoice) => Promise<Blob>;
  close: () => void;
}
