import type { CsvCell } from "../../../../domain/csv.ts";
import type { JobRowView } from "../../../contract/views/job-row-view.ts";

/** PEM begins with hyphens, which an apostrophe before them would spoil. */
const made: ReadonlySet<keyof JobRowView> = new Set(["data", "certificate", "privateKey"]);

/** What a results file has of a row in a column. */
export function cellOf(row: JobRowView, column: keyof JobRowView): CsvCell {
  const value = row[column] ?? null;
  return typeof value === "string" && made.has(column) ? { unguarded: value } : value;
}
