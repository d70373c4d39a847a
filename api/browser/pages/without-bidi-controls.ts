/**
 * A name without characters that turn the direction of text (Unicode Bidirectional Algorithm, section 2): within a
 * sentence of ours they would turn its rest. Names in scripts from right to left need none.
 */
export const withoutBidiControls = (name: string): string =>
  name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
