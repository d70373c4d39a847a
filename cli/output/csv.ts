import { csvLine as lineOf, type CsvCell } from "../../domain/csv.ts";

/** Returns a line of CSV in the service's format; objects and lists become JSON. */
export const csvLine = (values: readonly unknown[]): string => lineOf(values.map(cellOf));

function cellOf(value: unknown): CsvCell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}
