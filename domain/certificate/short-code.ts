/** Crockford's base32: without `I`, `L`, `O` and `U`, which look like others or make words. */
export const shortCodeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Symbols of a short code: 40 bits. */
export const shortCodeLength = 8;

/** Letters that are read as the symbol they look like. */
const readAs: Readonly<Record<string, string>> = { I: "1", L: "1", O: "0" };

/** Writes eight symbols as people read them out: `7K3Q-X9PT`. */
export const writtenShortCode = (symbols: string): string => `${symbols.slice(0, 4)}-${symbols.slice(4)}`;

/**
 * Reads a short code as people type it: in any letter case, with blanks, dots and dashes anywhere, and `I`, `L` and `O`
 * as the digits they look like. Returns `XXXX-XXXX`; undefined if it is none.
 */
export function readShortCode(typed: string): string | undefined {
  const symbols = Array.from(typed.replace(/[\s.\p{Pd}]/gu, "").toUpperCase(), (symbol) => readAs[symbol] ?? symbol);
  const isCode = symbols.length === shortCodeLength && symbols.every((symbol) => shortCodeAlphabet.includes(symbol));
  return isCode ? writtenShortCode(symbols.join("")) : undefined;
}
