import { useState } from "react";

/** Which rows of a list are chosen: some of the page that is shown, or all that its search and filters find. */
export interface Selection<Row> {
  /** Of the page that is shown. */
  rows: Row[];
  everything: boolean;
  choose: (rows: Row[]) => void;
  chooseEverything: () => void;
  clear: () => void;
}

/** `question`: what the list is searched and filtered by. Who asks for something else has not chosen all of that. */
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
