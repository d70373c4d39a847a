import { readHeading, type JobColumn } from "../../../../domain/bulk-job/input/columns.ts";
import type { SourceRow } from "../../../../domain/bulk-job/input/row-source.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";

/**
 * Reads an object as a row, with its properties in any letter case. Ignores properties that are not columns, as in
 * every body. In a revocation, a serial number alone is also a row.
 */
export function rowOf(kind: JobKind, value: unknown): SourceRow {
  if (kind === "revocation" && typeof value === "string") return { cells: new Map([["serial", value]]) };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return faulty("The row is no JSON object.");
  const cells = new Map<JobColumn, unknown>();
  let twice: JobColumn | undefined;
  for (const [name, cell] of Object.entries(value)) {
    const column = readHeading(kind, name);
    if (column === undefined || column === "ignored") continue;
    if (cells.has(column)) twice = column;
    cells.set(column, cell);
  }
  return { cells, fault: twice && `${twice}: occurs twice` };
}

/** Returns a row without any readable value. */
export const faulty = (fault: string): SourceRow => ({ cells: new Map(), fault });
