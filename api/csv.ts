type Cell = string | number | null;

/** What a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r\n]/;

/** A line of CSV (RFC 4180). Text that a spreadsheet would take for a formula begins with an apostrophe, and is text. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(",")}\r\n`;

function cellText(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const safe = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
