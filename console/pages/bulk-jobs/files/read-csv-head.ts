import { csvSeparators, unguardCell } from "../../../../domain/csv.ts";

/** The beginning of a CSV file, as far as its columns have to be known. */
export interface CsvHead {
  /** Undefined: UTF-8. */
  charset: "windows-1252" | undefined;
  headings: string[];
  samples: string[][];
}

const headBytesMax = 64 * 1024;
const samplesMax = 5;

/** Reads the first rows of a CSV file, which is looked through for whether it is UTF-8. */
export async function readCsvHead(file: Blob): Promise<CsvHead> {
  const charset = (await isUtf8(file)) ? undefined : "windows-1252";
  const decoder = new TextDecoder(charset ?? "utf-8");
  const isWhole = file.size <= headBytesMax;
  const text = decoder.decode(await file.slice(0, headBytesMax).arrayBuffer());
  const rows = rowsOf(text);
  // What the cut went through is no row.
  if (!isWhole) rows.pop();
  const [headings = [], ...others] = rows.filter((row) => row.some((cell) => cell.trim() !== ""));
  return {
    charset,
    headings: headings.map((cell) => cell.trim()),
    samples: charset === undefined ? others.slice(0, samplesMax) : telling(others).slice(0, samplesMax),
  };
}

/** Rows in which an encoding shows, before others. */
const telling = (rows: readonly string[][]): string[][] =>
  rows.toSorted((a, b) => Number(hasOther(b)) - Number(hasOther(a)));
const hasOther = (row: readonly string[]): boolean => row.some((cell) => /[^\0-\x7f]/.test(cell));

async function isUtf8(file: Blob): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      decoder.decode(value, { stream: !done });
      if (done) return true;
    }
  } catch {
    return false;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Cells of text as spreadsheets write it, by the separator that its first line tells or has most of. */
export function rowsOf(text: string): string[][] {
  const told = /^\ufeff?sep=([,;\t])\r?\n/i.exec(text);
  const rest = told === null ? text.replace(/^\ufeff/, "") : text.slice(told[0].length);
  const separator = told?.[1] ?? commonest(rest);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    row.push(unguardCell(cell));
    cell = "";
  };
  for (let at = 0; at < rest.length; at++) {
    const char = rest.charAt(at);
    if (quoted && char === '"' && rest.charAt(at + 1) === '"') {
      cell += '"';
      at += 1;
    } else if (char === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (!quoted && char === separator) endCell();
    else if (!quoted && (char === "\n" || char === "\r")) {
      if (char === "\r" && rest.charAt(at + 1) === "\n") at += 1;
      endCell();
      rows.push(row);
      row = [];
    } else cell += char;
  }
  if (cell !== "" || row.length > 0) {
    endCell();
    rows.push(row);
  }
  return rows;
}

function commonest(text: string): string {
  const [line = ""] = text
    .replace(/"(?:[^"]|"")*"/g, "")
    .trimStart()
    .split(/[\r\n]/, 1);
  const count = (separator: string): number => line.split(separator).length;
  return csvSeparators.reduce((most, separator) => (count(separator) > count(most) ? separator : most));
}
