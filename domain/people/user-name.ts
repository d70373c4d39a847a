import { text } from "../text.ts";

/** The name of a local account as somebody gives it: a letter with its dots may come as two characters. */
export const GivenUsername = text(1, 255).overwrite((username) => username.normalize("NFC"));

/**
 * Whether a name to sign in with is written in its one form (NFKC) and means the same to this service as to the database,
 * which folds it to `folded`: then nobody has a second name that looks like it.
 */
export const foldsAlike = (username: string, folded: string): boolean =>
  username === username.normalize("NFKC") && username.toLowerCase() === folded;
