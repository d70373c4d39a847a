import { isZip, unpackedBytes, unpackedBytesMax } from "./packed-size.ts";
import { readWorkbook, RefusedWorkbook, type Sheet } from "./read-workbook.ts";
import { csvOfSheet, summaryOf, type SheetChoice, type SheetSummary } from "./sheet.ts";

/** The page's requests: to read a workbook, then to return one of its sheets as CSV. */
export type XlsxQuestion = { ask: "read"; file: Blob } | ({ ask: "csv"; sheet: string } & SheetChoice);

export type XlsxAnswer =
  { sheets: SheetSummary[] } | { csv: Blob } | { error: "unreadable" | "tooLarge" | RefusedWorkbook["reason"] };

let sheets: ReadonlyMap<string, Sheet> = new Map();

addEventListener("message", ({ data }: MessageEvent<XlsxQuestion>) => {
  void answer(data).then((found) => {
    postMessage(found);
  });
});

async function answer(question: XlsxQuestion): Promise<XlsxAnswer> {
  if (question.ask === "csv") {
    const sheet = sheets.get(question.sheet);
    const lines = csvOfSheet(sheet?.rows ?? [], question, sheet?.hiddenRows);
    return { csv: new Blob(lines, { type: "text/csv;charset=utf-8" }) };
  }
  const bytes = new Uint8Array(await question.file.arrayBuffer());
  try {
    // The library would read other kinds of files as tables.
    if (!isZip(bytes)) return { error: "unreadable" };
    if (unpackedBytes(bytes) > unpackedBytesMax) return { error: "tooLarge" };
    sheets = readWorkbook(bytes);
    return { sheets: [...sheets].flatMap(([name, sheet]) => summaryOf(name, sheet) ?? []) };
  } catch (error) {
    // The reason is never a password: a workbook with a password is not a zip archive.
    return { error: error instanceof RefusedWorkbook ? error.reason : "damaged" };
  }
}
