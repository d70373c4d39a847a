import type { ReactNode, SyntheticEvent } from "react";

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
  /**
   * Where it is on the card that a row is on phones: its heading, beside the heading, a line with the column's title before
   * it, below the lines, or nowhere. Default: a line.
   */
  card?: "title" | "badge" | "line" | "actions" | "none";
}

/** Whether something in a row was pressed that does something of its own. */
export const isOnControl = ({ target }: Pick<Event | SyntheticEvent, "target">): boolean =>
  target instanceof Element && target.closest("a, button, input, label") !== null;
