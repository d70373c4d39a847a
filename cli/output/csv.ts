/** What a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r\n]/;

/** A line of CSV (RFC 4180), written as the service writes its own: what a spreadsheet would take for a formula is text. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellText).join(",")}\r\n`;

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
