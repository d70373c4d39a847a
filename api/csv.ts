/** Text of a person's, or `ours`: made here, and no formula whatever it begins with. */
type Cell = string | number | null | { ours: string };

/** What a spreadsheet would take for a formula, and what looks as if we had kept it from that already. */
const formula = /^'*[=+\-@\t\r\n]/;

/** A line of CSV (RFC 4180). Text that a spreadsheet would take for a formula begins with an apostrophe, and is text. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(",")}\r\n`;

function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = typeof cell === "object" ? cell.ours : formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
