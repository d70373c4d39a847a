import { joinSerial } from "../../../domain/serial-digits.ts";

/** Longer numbers are no person's. */
const idDigitsMax = 19;

/** What an entry is to be about, where it is written as the API takes it or is a serial number; undefined: perhaps a person. */
export function writtenSubject(written: string): string | undefined {
  const text = written.trim();
  if (/^(?:user|profile|guest|application):/.test(text)) return text;
  const digits = joinSerial(text);
  return /^[1-9]\d*$/.test(digits) && digits.length > idDigitsMax ? `profile:${digits}` : undefined;
}
