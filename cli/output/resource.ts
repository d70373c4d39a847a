import type { Colors } from "picocolors/types.js";

/** A column of a table, and a line of what `show` says. */
export interface Column<Row> {
  title: string;
  text: (row: Row, colors: Colors) => string;
}

/** How one kind of thing is shown. */
export interface Resource<Row extends object> {
  /** The properties, in the order of CSV columns. */
  fields: readonly (keyof Row & string)[];
  columns: readonly Column<Row>[];
}
