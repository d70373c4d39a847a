import type { CsvSeparator } from "../../../../../domain/csv.ts";
import { headerRowsMax, samplesMax, type TopRow } from "./top-row.ts";
import { parse } from "csv-parse/browser/esm/sync";
import {
  csvReading,
  csvStart,
  isBlankRow,
  readCell,
  unifyLineEnds,
} from "../../../../../domain/bulk-job/input/csv-reading.ts";

/** A row that may contain the headings. */
export interface CsvTop extends TopRow {
  /** The rows below this row, as examples. */
  samples: string[][];
  /** The offset of the row in the file, in bytes; 0 for the first row with any text, which the service finds. */
  offset: number;
  separator: CsvSeparator;
}

/** The beginning of a CSV file, up to the length needed to know its columns. */
export interface CsvHead {
  /** Undefined if the file is UTF-8. */
  charset: "windows-1252" | undefined;
  /** The first rows with any text. */
  top: CsvTop[];
}

const headBytesMax = 64 * 1024;

/**
 * Returns the file converted to UTF-8 if its byte order mark shows UTF-16 (Unicode 23.8), like Excel's “Unicode text”;
 * otherwise the file itself.
 */
export async function withoutUtf16(file: Blob): Promise<Blob> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isLittle = first === 0xff && second === 0xfe;
  if (!isLittle && !(first === 0xfe && second === 0xff)) return file;
  return new Blob([new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(await file.arrayBuffer())]);
}

/** Reads the first rows of a CSV file, and checks whether the whole file is UTF-8. */
export async function readCsvHead(file: Blob): Promise<CsvHead> {
  const charset = (await isUtf8(file)) ? undefined : "windows-1252";
  const decoder = new TextDecoder(charset ?? "utf-8", { ignoreBOM: true });
  const isWhole = file.size <= headBytesMax;
  const text = decoder.decode(await file.slice(0, headBytesMax).arrayBuffer());
  const [before = ""] = /^\ufeff?(?:sep=[,;\t](?:\r\n|\r|\n))?/i.exec(text) ?? [];
  const bytesOf = (part: string): number =>
    charset === undefined ? new TextEncoder().encode(part).length : part.length;
  const top: CsvTop[] = [];
  let row = 0;
  for (const { start, line } of linesOf(text, before.length)) {
    row += 1;
    if (!/[^\s,;"]/.test(line)) continue;
    const isFirst = top.length === 0;
    const rest = text.slice(isFirst ? 0 : start);
    const { rows, separator } = tableOf(rest);
    // The last row may be incomplete.
    if (!isWhole) rows.pop();
    const [cells = [], ...others] = rows.filter((each) => !isBlankRow(each));
    const samples = charset === undefined ? others : rowsOutsideAscii(others);
    top.push({
      ...{ row, separator, offset: isFirst ? 0 : bytesOf(text.slice(0, start)) },
      cells: cells.map((cell) => cell.trim()),
      samples: samples.slice(0, samplesMax),
    });
    if (top.length === headerRowsMax) break;
  }
  return { charset, top };
}

/** Yields the lines of a text from an offset, each with its offset. */
function* linesOf(text: string, from: number): Generator<{ start: number; line: string }> {
  for (let start = from; start < text.length;) {
    const [line = "", end = ""] = /^([^\r\n]*)(?:\r\n|\r|\n|$)/.exec(text.slice(start)) ?? [];
    yield { start, line: end };
    start += line.length;
  }
}

/** Moves rows with non-ASCII text to the front, because they show the encoding. */
const rowsOutsideAscii = (rows: readonly string[][]): string[][] =>
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

/** Parses text into cells as the API does. Ignores text that does not parse into rows: the API reports that text. */
export const rowsOf = (text: string): string[][] => tableOf(text).rows;

function tableOf(text: string): { rows: string[][]; separator: CsvSeparator } {
  const unified = unifyLineEnds(text);
  const { separator, skipped } = csvStart(unified);
  const rows = parse(unified.slice(skipped), { ...csvReading, delimiter: separator, skip_records_with_error: true });
  return { rows: rows.map((row) => row.map(readCell)), separator };
}
