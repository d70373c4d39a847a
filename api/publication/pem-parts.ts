import { setImmediate } from "node:timers/promises";

/** The octets that one line of 64 characters encodes. */
const lineOctets = 48;

/** How much is encoded in one go: whole lines, which takes some milliseconds. */
const stretchOctets = lineOctets * 8_192;

/** Encodes parts of DER as parts of PEM (RFC 7468 section 2). Lets other requests run in between. */
export async function pemParts(label: string, der: readonly Buffer[]): Promise<Buffer[]> {
  const out = [Buffer.from(`-----BEGIN ${label}-----\n`)];
  const length = der.reduce((sum, part) => sum + part.length, 0);
  let part = 0;
  let offset = 0;
  for (let from = 0; from < length; from += stretchOctets) {
    const stretch = Buffer.allocUnsafe(Math.min(stretchOctets, length - from));
    for (let at = 0; at < stretch.length;) {
      const copied = der[part]?.copy(stretch, at, offset) ?? 0;
      at += copied;
      offset += copied;
      if (offset === der[part]?.length) {
        part++;
        offset = 0;
      }
    }
    const lines = stretch.toString("base64").match(/.{1,64}/g) ?? [];
    out.push(Buffer.from(`${lines.join("\n")}\n`, "latin1"));
    await setImmediate();
  }
  out.push(Buffer.from(`-----END ${label}-----\n`));
  return out;
}
