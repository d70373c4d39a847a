import { createHash } from "node:crypto";

/** Returns a UUID of version 8 (RFC 9562 section 5.8), in upper case, always the same for the same name. */
export function uuidOf(name: string): string {
  const octets = createHash("sha256").update(name).digest().subarray(0, 16);
  octets[6] = ((octets[6] ?? 0) & 0x0f) | 0x80;
  octets[8] = ((octets[8] ?? 0) & 0x3f) | 0x80;
  const hex = octets.toString("hex").toUpperCase();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
