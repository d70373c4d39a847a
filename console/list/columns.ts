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
   * The column's place on a phone's card: heading, beside the heading, a line with the column's title, below the lines,
   * or nowhere. Default: a line.
   */
  card?: "title" | "badge" | "line" | "actions" | "none";
}

/** Whether the event hit a control of a row, which has its own action. */
export const isOnControl = ({ target }: Pick<Event | SyntheticEvent, "target">): boolean =>
  target instanceof Element && target.closest("a, button, input, label") !== null;
