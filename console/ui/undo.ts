/** What undoes something that was just done. */
export interface Undo {
  label: string;
  act: () => Promise<unknown>;
}
