import type { ReactNode, SyntheticEvent } from "react";

export interface Column<Row> {
  /** Unique among the columns. */
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** The API's sort key, if the list can be sorted by this column. */
  sortKey?: string;
  width?: number | string;
  align?: "left" | "right";
  /**
   * Where a phone's card shows the column: as the heading, next to the heading, as a line with the column's title,
   * below the lines, or nowhere. Default: a line.
   */
  card?: "title" | "badge" | "line" | "actions" | "none";
}

/** Returns true if the event hit a control in a row, which handles the event itself. */
export const isOnControl = ({ target }: Pick<Event | SyntheticEvent, "target">): boolean =>
  target instanceof Element && target.closest("a, button, input, label") !== null;
