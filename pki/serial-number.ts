import { randomBytes } from "node:crypto";
import type { SerialNumber } from "../domain/ids.ts";

/** Octets of a drawn serial number: 127 random bits, so the INTEGER stays positive without a leading zero octet. */
const octets = 16;

/** Draws a serial number for a new certificate: 127 random bits, positive, never zero (RFC 5280 section 4.1.2.2). */
export function drawSerialNumber(random: (length: number) => Buffer = randomBytes): SerialNumber {
  for (;;) {
    const magnitude = random(octets);
    magnitude[0] = (magnitude[0] ?? 0) & 0x7f;
    if (magnitude.some((octet) => octet !== 0)) return magnitudeToSerialNumber(magnitude);
  }
}

/**
 * Returns the big-endian magnitude of a serial number without leading zeros. A DER INTEGER puts a zero octet before it
 * if its first bit is set.
 */
export function serialNumberToMagnitude(serialNumber: SerialNumber): Buffer {
  const hex = BigInt(serialNumber).toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}

/**
 * Returns the serial number in decimal from its big-endian magnitude; leading zeros are allowed. Throws RangeError for
 * zero.
 */
export function magnitudeToSerialNumber(magnitude: Uint8Array): SerialNumber {
  const value = BigInt(`0x0${Buffer.from(magnitude).toString("hex")}`);
  if (value === 0n) throw new RangeError("a serial number is not zero");
  return value.toString() as SerialNumber;
}
