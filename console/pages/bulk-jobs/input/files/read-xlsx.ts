import type { Workbook } from "./workbook.ts";
import type { XlsxAnswer, XlsxQuestion } from "./xlsx-worker.ts";

/** The longest time for reading a workbook, and for converting a sheet to CSV. */
const readMsMax = 60_000;

/** The console cannot read a workbook for this reason. */
export class UnreadableWorkbook extends Error {
  override readonly name = "UnreadableWorkbook";
  readonly reason: "unreadable" | "damaged" | "tooLarge" | "tooWide" | "late" | "empty";
  constructor(reason: UnreadableWorkbook["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Reads a workbook, which the caller closes. Throws {@link UnreadableWorkbook} if the file cannot be read as a
 * workbook, is too large when unpacked, has too many cells or takes too long.
 */
export async function readXlsx(file: Blob): Promise<Workbook> {
  const worker = new Worker(new URL("./xlsx-worker.ts", import.meta.url), { type: "module" });
  try {
    const read = await ask(worker, { ask: "read", file });
    if (!("sheets" in read)) throw new UnreadableWorkbook("error" in read ? read.error : "unreadable");
    return {
      sheets: read.sheets,
      async csv({ name }, choice) {
        const made = await ask(worker, { ask: "csv", sheet: name, ...choice });
        if (!("csv" in made)) throw new UnreadableWorkbook("unreadable");
        return made.csv;
      },
      close() {
        worker.terminate();
      },
    };
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

function ask(worker: Worker, question: XlsxQuestion): Promise<XlsxAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new UnreadableWorkbook("late"));
    }, readMsMax);
    worker.onmessage = ({ data }: MessageEvent<XlsxAnswer>) => {
      clearTimeout(timer);
      resolve(data);
    };
    worker.onerror = () => {
      clearTimeout(timer);
      reject(new UnreadableWorkbook("unreadable"));
    };
    worker.postMessage(question);
  });
}
