import { jobColumns, readHeading, type JobColumn } from "../../../../domain/bulk-job/input/columns.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import { givenOf, type ParsedRow } from "./input.ts";

/**
 * An object as a row, its properties in any letter case; those that are no columns are passed over, as in every body. Of a
 * revocation a serial number by itself is a row as well.
 */
export function rowOf(kind: JobKind, position: number, value: unknown): ParsedRow {
  if (kind === "revocation" && typeof value === "string") {
    const cells = new Map<JobColumn, unknown>([["serial", value]]);
    return { position, cells, given: givenOf(jobColumns[kind], cells) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return unreadableRowOf(kind, position, "The row is no JSON object.");
  }
  const cells = new Map<JobColumn, unknown>();
  let twice: JobColumn | undefined;
  for (const [name, cell] of Object.entries(value)) {
    const column = readHeading(kind, name);
    if (column === undefined || column === "ignored") continue;
    if (cells.has(column)) twice = column;
    cells.set(column, cell);
  }
  const given = givenOf(jobColumns[kind], cells);
  return twice === undefined ? { position, cells, given } : { position, unreadable: `${twice}: occurs twice`, given };
}

/** Something at the place of a row that is none. */
export const unreadableRowOf = (kind: JobKind, position: number, reason: string): ParsedRow => ({
  position,
  unreadable: reason,
  given: jobColumns[kind].map(() => null),
});
