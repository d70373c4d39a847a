/** The action that undoes what was just done. */
export interface Undo {
  label: string;
  act: () => Promise<unknown>;
}
