/** The action that undoes the last action. */
export interface Undo {
  label: string;
  act: () => Promise<unknown>;
}
