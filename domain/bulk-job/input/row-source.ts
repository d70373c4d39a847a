import type { JobColumn } from "./columns.ts";

/** A row of a file. */
export interface SourceRow<Value = unknown> {
  cells: ReadonlyMap<JobColumn, Value>;
  /** Why the row cannot be read. */
  fault?: string | undefined;
}

/** Rows from a file of any type, or from pasted text. Its columns are known before its rows. */
export interface RowSource<Rows = AsyncIterable<SourceRow | undefined>> {
  columns: readonly JobColumn[];
  /** The names of the columns in the file, in the same order. */
  headings: readonly string[];
  /** Undefined: an empty line, which takes a row number. */
  rows: Rows;
}
