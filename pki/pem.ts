/**
 * Encodes DER as PEM text (RFC 7468 section 2): lines of 64 characters, ending in a newline. `label` as in
 * "CERTIFICATE".
 */
export function pem(label: string, der: Uint8Array): string {
  const base64 = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString("base64");
  const lines = base64.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
