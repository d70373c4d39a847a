/** Groups a serial number by four digits, counted from its end: people read the end out. */
export const groupSerial = (serial: string): string => serial.replace(/(?<=\d)(?=(?:\d{4})+$)/g, " ");

/** Removes the blanks between the groups of a serial number or a part of one; returns any other text unchanged. */
export const joinSerial = (text: string): string => (/^\s*\d[\d\s]*$/.test(text) ? text.replace(/\s/g, "") : text);

const digitsMin = 8;
/** Octets in hexadecimal, as devices show a whole serial number. */
const octets = /^(?:[0-9a-f]{2}[:\s-]){7,19}[0-9a-f]{2}$/i;

/**
 * Returns the decimal digits of a serial number, or of a part of one, that a search may mean: eight digits or more, or
 * a whole number in hexadecimal octets. Undefined for a text that can be no serial number.
 */
export function serialDigits(searched: string): string | undefined {
  const text = searched.trim();
  const digits = text.replace(/[\s.…]/g, "");
  if (digits.length >= digitsMin && /^\d+$/.test(digits)) return digits;
  return digitsOfOctets(text);
}

/** Returns the decimal digits of a whole serial number in hexadecimal octets. */
export const digitsOfOctets = (text: string): string | undefined =>
  octets.test(text) ? BigInt(`0x${text.replace(/[^0-9a-f]/gi, "")}`).toString() : undefined;

/** Returns the decimal digits of a whole serial number in any hexadecimal form: `0x1A2B`, `1a:2b`, `1A 2B`, `1a2b`. */
export function digitsOfHexadecimal(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^0x/i, "")
    .replace(/[\s:.-]/g, "");
  if (!/^[0-9a-f]{2,42}$/i.test(digits)) return undefined;
  const value = BigInt(`0x${digits}`);
  return value === 0n ? undefined : value.toString();
}
