import { csvLine as lineOf, type CsvCell } from "../../domain/csv.ts";

/** A line of CSV as the service writes its own; values that are no text are JSON. */
export const csvLine = (values: readonly unknown[]): string => lineOf(values.map(cellOf));

function cellOf(value: unknown): CsvCell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}
