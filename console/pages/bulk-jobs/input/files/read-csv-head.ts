import { parse } from "csv-parse/browser/esm/sync";
import {
  csvReading,
  csvStart,
  isBlankRow,
  readCell,
  unifyLineEnds,
} from "../../../../../domain/bulk-job/input/csv-reading.ts";

/** The beginning of a CSV file, as far as needed to know its columns. */
export interface CsvHead {
  /** Undefined for UTF-8. */
  charset: "windows-1252" | undefined;
  headings: string[];
  samples: string[][];
}

const headBytesMax = 64 * 1024;
const samplesMax = 5;

/** Reads the first rows of a CSV file, and checks in the whole file whether it is UTF-8. */
export async function readCsvHead(file: Blob): Promise<CsvHead> {
  const charset = (await isUtf8(file)) ? undefined : "windows-1252";
  const decoder = new TextDecoder(charset ?? "utf-8");
  const isWhole = file.size <= headBytesMax;
  const text = decoder.decode(await file.slice(0, headBytesMax).arrayBuffer());
  const rows = rowsOf(text);
  // The last row may be cut off.
  if (!isWhole) rows.pop();
  const [headings = [], ...others] = rows.filter((row) => !isBlankRow(row));
  return {
    charset,
    headings: headings.map((cell) => cell.trim()),
    samples: charset === undefined ? others.slice(0, samplesMax) : rowsOutsideAscii(others).slice(0, samplesMax),
  };
}

/** Moves rows with non-ASCII text, which show the encoding, before others. */
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

/** Parses text into cells as the API does. Leaves out text that cannot be parsed into rows: the API reports it. */
export function rowsOf(text: string): string[][] {
  const unified = unifyLineEnds(text);
  const { separator, skipped } = csvStart(unified);
  const rows = parse(unified.slice(skipped), { ...csvReading, delimiter: separator, skip_records_with_error: true });
  return rows.map((row) => row.map(readCell));
}
