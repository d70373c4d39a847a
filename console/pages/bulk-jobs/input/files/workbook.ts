import type { SheetChoice, SheetSummary } from "./sheet.ts";

/** A workbook, read in a worker of its own. */
export interface Workbook {
  /** The sheets that are not empty, in their order. */
  sheets: readonly SheetSummary[];
  /** Returns a sheet as CSV. */
  csv: (sheet: SheetSummary, choice: SheetChoice) => Promise<Blob>;
  close: () => void;
}
