import { text } from "../text.ts";

/** The name of a local account as a person types it: an accented letter may arrive as two characters. */
export const GivenUsername = text(1, 255).overwrite((username) => username.normalize("NFC"));

/**
 * Whether a sign-in name is in NFKC and its lower-case form is the same here as in the database (`folded`). If so, no
 * other name looks like this name.
 */
export const foldsAlike = (username: string, folded: string): boolean =>
  username === username.normalize("NFKC") && username.toLowerCase() === folded;
