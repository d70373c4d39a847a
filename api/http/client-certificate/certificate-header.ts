import type { IncomingMessage } from "node:http";

/**
 * Returns the client certificate that a proxy forwards in a header, as DER. Accepts a byte sequence (RFC 9440 section
 * 2.2) or URL-encoded PEM, as nginx and others send it. Undefined if the header is missing, repeated or malformed.
 */
export function readCertificateHeader(
  { headersDistinct }: Pick<IncomingMessage, "headersDistinct">,
  name: string,
): Buffer | undefined {
  const [value, ...more] = headersDistinct[name.toLowerCase()] ?? [];
  if (value === undefined || more.length > 0) return undefined;
  const base64 = byteSequence.exec(value.trim())?.[1] ?? pem.exec(urlDecoded(value))?.[1]?.replace(/\s/g, "");
  return base64 === undefined || !isBase64.test(base64) ? undefined : Buffer.from(base64, "base64");
}

const byteSequence = /^:([^:]+):$/;
const pem = /^\s*-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----\s*$/;
const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function urlDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
