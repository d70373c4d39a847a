import { unzipSync } from "fflate/browser";

/** Matches a row that is hidden or has no height. */
const hiddenRow = /<(?:\w+:)?row\b[^<>]*\s(?:hidden\s*=\s*["'](?:1|true)|ht\s*=\s*["']0(?:\.0*)?)["']/;

/** The number of bytes to search at a time: decoding a whole part would take several times its memory. */
const pieceBytes = 1024 * 1024;
/** Longer than the tag of any row. */
const overlapBytes = 4096;

/**
 * Returns true if a sheet of a workbook may have a hidden row. The library finds hidden rows slowly, so it searches
 * only then.
 */
export function mayHideRows(archive: Uint8Array): boolean {
  const parts = unzipSync(archive, { filter: ({ name }) => /\.xml$/i.test(name) && !/sharedStrings/i.test(name) });
  // For encodings that are not ASCII-compatible, the library decides.
  return Object.values(parts).some((part) => part.includes(0) || hasHiddenRow(part));
}

function hasHiddenRow(part: Uint8Array): boolean {
  const decoder = new TextDecoder("windows-1252");
  for (let from = 0; from < part.length; from += pieceBytes) {
    if (hiddenRow.test(decoder.decode(part.subarray(from, from + pieceBytes + overlapBytes)))) return true;
  }
  return false;
}
