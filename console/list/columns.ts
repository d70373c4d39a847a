import type { ReactNode } from "react";

/** One column of a list. */
export interface Column<Row> {
  /** Stable, for the address and the export. */
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** The API's sort key, when the list can be put in its order. */
  sortKey?: string;
  /** What an export has in this column; omitted: it is not exported. */
  text?: (row: Row) => string;
  width?: number | string;
  align?: "left" | "right";
}
