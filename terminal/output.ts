/**
 * Control characters (C0, DEL, C1), line and paragraph separators, and characters that change the direction of the text
 * after them.
 */
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a text of any origin (a name, a note) as one line that cannot control a terminal. */
export const plain = (text: string): string => text.replace(unprintable, "\ufffd");

/** Returns JSON with escapes for the characters that JSON allows but that can control a terminal. */
export const plainJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
