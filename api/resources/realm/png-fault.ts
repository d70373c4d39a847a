import { crc32 } from "node:zlib";
import { logoPixelsMax } from "../../../domain/limits.ts";
import type { LogoFault } from "../../../domain/realm-logo.ts";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Returns true if bytes begin with the PNG signature. */
export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, signature.length).equals(signature);

/**
 * Returns the fault of a PNG file (RFC 2083); undefined for a faultless file. Each chunk must be whole, nothing may follow
 * the last chunk, and neither side may exceed `logoPixelsMax`.
 */
export function pngFault(bytes: Buffer): LogoFault | undefined {
  if (!isPng(bytes)) return "damaged";
  const types: string[] = [];
  for (let at = signature.length; at < bytes.length;) {
    if (bytes.length - at < 12) return "damaged";
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return "damaged";
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return "damaged";
    if (types.length === 0) {
      if (type !== "IHDR" || end - at !== 25) return "damaged";
      const sides = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)];
      if (sides.includes(0)) return "damaged";
      if (Math.max(...sides) > logoPixelsMax) return "too_many_pixels";
    } else if (type === "IHDR") {
      return "damaged";
    }
    types.push(type);
    at = end;
    if (type === "IEND") return types.includes("IDAT") && at === bytes.length ? undefined : "damaged";
  }
  return "damaged";
}
