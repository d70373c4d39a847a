/** Groups a serial number by four digits, counted from its end, because people read out the end. */
export const groupSerial = (serial: string): string => serial.replace(/(?<=\d)(?=(?:\d{4})+$)/g, " ");

/** Removes the blanks between the groups of a serial number, whole or partial; returns any other text unchanged. */
export const joinSerial = (text: string): string => (/^\s*\d[\d\s]*$/.test(text) ? text.replace(/\s/g, "") : text);

const digitsMin = 8;

/** Labels that programs such as `openssl x509 -serial` write before a serial number. */
export const serialLabel = /^(?:serial(?: ?number)?|seriennummer) ?[:=] ?/i;

/**
 * Returns the decimal digits of a whole serial number in any spelling: decimal, also in groups, or hexadecimal, with or
 * without separators, `0x` and a label. Hexadecimal without any of these needs at least 16 digits. Digits only, also in
 * groups separated by blanks or points, are read as decimal. Returns undefined if the text is not a serial number.
 */
export function readSerial(written: string): string | undefined {
  const text = written.trim().replace(serialLabel, "");
  const joined = joinSerial(text);
  if (/^\d+$/.test(joined)) return joined;
  if (/^\d{1,4}(?:\.\d{3,4})+$/.test(text)) return text.replaceAll(".", "");
  // Digits with points or commas are an amount. Fewer than 16 hexadecimal digits without a label, prefix or separator
  // can be a word.
  const isOther = /^[\d.,]*$/.test(text) || (/^[0-9a-f]{0,15}$/i.test(text) && text === written.trim());
  return isOther ? undefined : digitsOfHexadecimal(text);
}

/** Octets in hexadecimal, as devices show a whole serial number, with or without separators. */
const wholeHexadecimal = /^(?:0x)?[0-9a-f]{2}(?:[:\s-]?[0-9a-f]{2}){7,20}$/i;

/**
 * Returns the decimal digits if a search text is a serial number or a part of one: eight decimal digits or more, or a
 * whole number in hexadecimal. Returns undefined for any other text.
 */
export function serialDigits(searched: string): string | undefined {
  const text = searched.trim().replace(serialLabel, "");
  const digits = text.replace(/[\s.…]/g, "");
  if (digits.length >= digitsMin && /^\d+$/.test(digits)) return digits;
  return wholeHexadecimal.test(text) ? readSerial(text) : undefined;
}

/**
 * Returns the decimal digits of a whole serial number in any hexadecimal form: `0x1A2B`, `1a:2b`, `1A 2B`, `1a2b`.
 * Returns undefined for any other text, and for zero.
 */
export function digitsOfHexadecimal(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^0x/i, "")
    .replace(/[\s:.-]/g, "");
  if (!/^[0-9a-f]{2,42}$/i.test(digits)) return undefined;
  const value = BigInt(`0x${digits}`);
  return value === 0n ? undefined : value.toString();
}
