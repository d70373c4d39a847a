import { readSerial } from "../../../domain/serial-digits.ts";

/** User IDs have at most 19 digits. */
const idDigitsMax = 19;

/** Returns the subject if the text is in the API's form or a serial number; undefined: it may be a person. */
export function writtenSubject(written: string): string | undefined {
  const text = written.trim();
  if (/^(?:user|profile|guest|application):/.test(text)) return text;
  const digits = readSerial(text);
  return digits !== undefined && /^[1-9]\d*$/.test(digits) && digits.length > idDigitsMax
    ? `profile:${digits}`
    : undefined;
}
