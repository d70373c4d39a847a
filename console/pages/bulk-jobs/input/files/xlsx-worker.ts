import { isZip, unpackedBytes, unpackedBytesMax } from "./packed-size.ts";
import { readWorkbook } from "./read-workbook.ts";
import { csvOfSheet, summaryOf, type SheetCell, type SheetChoice, type SheetSummary } from "./sheet.ts";

/** The page's requests: to read a workbook, then to return one of its sheets as CSV. */
export type XlsxQuestion = { ask: "read"; file: Blob } | ({ ask: "csv"; sheet: string } & SheetChoice);

export type XlsxAnswer = { sheets: SheetSummary[] } | { csv: Blob } | { error: "unreadable" | "tooLarge" };

let sheets: ReadonlyMap<string, SheetCell[][]> = new Map();

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
    const bytes = new Uint8Array(await question.file.arrayBuffer());
    // The library would read other kinds of files as tables too.
    if (!isZip(bytes)) return { error: "unreadable" };
    if (unpackedBytes(bytes) > unpackedBytesMax) return { error: "tooLarge" };
    sheets = readWorkbook(bytes);
    return { sheets: [...sheets].flatMap(([name, data]) => summaryOf(name, data) ?? []) };
  } catch {
    return { error: "unreadable" };
  }
}
