/** The first two segments as they are in certificates; the rest is the OCSP request of a GET. */
const plain = /^\/(?:ocsp|crl|ca)\/[^/%]/;

/**
 * Returns the request target of an OCSP responder, a CRL or a CA certificate as it is in certificates, however a client
 * or a proxy has changed it: absolute-form (RFC 9112 section 3.2.2), repeated slashes, percent-encoded letters. Returns
 * every other target unchanged.
 */
export function publicationTarget(target: string): string {
  if (plain.test(target)) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  const [, first = "", second = "", rest = ""] = /^\/+([^/?]+)\/+([^/?]+)(.*)$/s.exec(path) ?? [];
  let plainly: string;
  try {
    plainly = `/${decodeURIComponent(first)}/${decodeURIComponent(second)}`;
  } catch {
    return target;
  }
  return /^\/(?:ocsp|crl|ca)\/[0-9A-Za-z.-]+$/.test(plainly) ? `${plainly}${rest}` : target;
}
