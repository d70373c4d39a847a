import { useState } from "react";

/** The selected rows of a list: some rows of this page, or all rows that match the search and filters. */
export interface Selection<Row> {
  /** The selected rows on this page. */
  rows: Row[];
  everything: boolean;
  choose: (rows: Row[]) => void;
  chooseEverything: () => void;
  clear: () => void;
}

/**
 * Returns the selection of a list. `question` is the list's search and filters; a selection of all rows applies only to
 * the question for which it was made.
 */
export function useSelection<Row>(
  rows: readonly Row[],
  { idOf, question }: { idOf: (row: Row) => string; question: string },
): Selection<Row> {
  const [chosen, setChosen] = useState<Row[]>([]);
  const [everythingOf, setEverythingOf] = useState<string>();
  const everything = everythingOf === question;
  const ids = new Set(rows.map(idOf));
  const choose = (next: Row[]) => {
    setEverythingOf(undefined);
    setChosen(next);
  };
  return {
    rows: everything ? [...rows] : chosen.filter((row) => ids.has(idOf(row))),
    everything,
    choose,
    chooseEverything: () => {
      setEverythingOf(question);
    },
    clear: () => {
      choose([]);
    },
  };
}
