import type { Colors } from "picocolors/types.js";

/** A column of a table, or a line of the output of `show`. */
export interface Column<Row> {
  title: string;
  text: (row: Row, colors: Colors) => string;
}

/** How one kind of resource is shown. */
export interface Resource<Row extends object> {
  /** The properties, in the order of CSV columns. */
  fields: readonly (keyof Row & string)[];
  columns: readonly Column<Row>[];
}
