/**
 * Returns a name without characters that change the direction of text (Unicode Bidirectional Algorithm, section 2):
 * within a sentence they would reverse the rest. Names in right-to-left scripts do not need them.
 */
export const withoutBidiControls = (name: string): string =>
  name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
