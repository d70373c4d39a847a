/** Crockford's base32: without `I`, `L`, `O` and `U`, which look like other symbols or can form words. */
export const shortCodeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Symbols of a short code. Its 40 bits are enough, because a hand-over's code works only for minutes. */
export const shortCodeLength = 8;

/** Symbols of a guest account's code. It has 60 bits, because the code works for months. */
export const guestCodeLength = 12;

/** Letters that are read as the symbol they look like. */
const readAs: Readonly<Record<string, string>> = { I: "1", L: "1", O: "0" };

/** Writes random octets as a code, in groups of four as people read them out: `7K3Q-X9PT`. */
export const codeOfOctets = (octets: Uint8Array): string =>
  // All 32 symbols are equally likely, because 256 is a multiple of 32.
  written(Array.from(octets, (octet) => shortCodeAlphabet[octet % 32]).join(""));

const written = (symbols: string): string => (symbols.match(/.{4}/g) ?? []).join("-");

/** A typed code, and whether it is a hand-over's or a guest account's. */
export interface TypedCode {
  kind: "handOver" | "guest";
  code: string;
}

/**
 * Reads a code as people type it: in any letter case, with blanks, dots and dashes anywhere, and `I`, `L` and `O` as
 * the digits they look like. Returns the code in groups of four; undefined if the text is not a code.
 */
export function readShortCode(typed: string): TypedCode | undefined {
  const symbols = Array.from(typed.replace(/[\s.\p{Pd}]/gu, "").toUpperCase(), (symbol) => readAs[symbol] ?? symbol);
  if (!symbols.every((symbol) => shortCodeAlphabet.includes(symbol))) return undefined;
  const code = written(symbols.join(""));
  if (symbols.length === shortCodeLength) return { kind: "handOver", code };
  return symbols.length === guestCodeLength ? { kind: "guest", code } : undefined;
}
