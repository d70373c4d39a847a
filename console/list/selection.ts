import { useState } from "react";

/** The selected rows of a list: some of this page, or all that its search and filters find. */
export interface Selection<Row> {
  /** On this page only. */
  rows: Row[];
  everything: boolean;
  choose: (rows: Row[]) => void;
  chooseEverything: () => void;
  clear: () => void;
}

/** `question` is the list's search and filters. Another question ends the selection of everything. */
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
