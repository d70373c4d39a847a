import type { ReactNode } from "react";

/** One column of a list. */
export interface Column<Row> {
  /** What tells it from the others. */
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** The API's sort key, when the list can be put in its order. */
  sortKey?: string;
  width?: number | string;
  align?: "left" | "right";
}
