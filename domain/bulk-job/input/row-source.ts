import type { JobColumn } from "./columns.ts";

/** A row of a file. */
export interface SourceRow<Value = unknown> {
  cells: ReadonlyMap<JobColumn, Value>;
  /** Why the row cannot be read. */
  fault?: string | undefined;
}

/** Rows from a file of any type, or from pasted text. The headings are known before the rows are read. */
export interface RowSource<Rows = AsyncIterable<SourceRow | undefined>> {
  columns: readonly JobColumn[];
  /** The names of the columns in the file, in the order of `columns`. */
  headings: readonly string[];
  /** Undefined: an empty line, which has a row number like any other row. */
  rows: Rows;
}
