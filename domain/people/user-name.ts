import { text } from "../text.ts";

/** The name of a local account as a person types it: a letter with its dots may come as two characters. */
export const GivenUsername = text(1, 255).overwrite((username) => username.normalize("NFC"));

/**
 * Whether a name to sign in with is in NFKC and folds here to the same text as in the database (`folded`): then no
 * second name looks like it.
 */
export const foldsAlike = (username: string, folded: string): boolean =>
  username === username.normalize("NFKC") && username.toLowerCase() === folded;
