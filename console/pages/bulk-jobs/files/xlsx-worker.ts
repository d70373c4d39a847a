import readXlsxFile from "read-excel-file/web-worker";
import { csvOfSheet, summaryOf, type ChosenColumns, type SheetCell, type SheetSummary } from "./sheet.ts";

/** What the page asks: to read a workbook, then for one of its sheets as CSV. */
export type XlsxQuestion =
  { ask: "read"; file: Blob } | { ask: "csv"; sheet: string; headerRow: number; columns: ChosenColumns; bare: boolean };

export type XlsxAnswer = { sheets: SheetSummary[] } | { csv: Blob } | { error: "unreadable" | "tooLarge" };

const sheets = new Map<string, SheetCell[][]>();

addEventListener("message", ({ data }: MessageEvent<XlsxQuestion>) => {
  void answer(data).then((found) => {
    postMessage(found);
  });
});

async function answer(question: XlsxQuestion): Promise<XlsxAnswer> {
  if (question.ask === "csv") {
    const lines = csvOfSheet(sheets.get(question.sheet) ?? [], question);
    return { csv: new Blob(lines, { type: "text/csv;charset=utf-8" }) };
  }
  try {
    const found = await readXlsxFile(question.file, { parseNumber: (digits) => ({ digits }), trim: false });
    sheets.clear();
    for (const { sheet, data } of found) sheets.set(sheet, data as unknown as SheetCell[][]);
    return { sheets: [...sheets].flatMap(([name, data]) => summaryOf(name, data) ?? []) };
  } catch (error) {
    return { error: (error as Error).message === "too large" ? "tooLarge" : "unreadable" };
  }
}
