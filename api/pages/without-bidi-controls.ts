/**
 * Returns a name without characters that change the direction of text (Unicode Bidirectional Algorithm, section 2):
 * such characters would reverse the rest of a sentence. Names in right-to-left scripts do not need them.
 */
export const withoutBidiControls = (name: string): string =>
  name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
