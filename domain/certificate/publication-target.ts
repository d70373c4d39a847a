/** Matches a target that needs no change. After its first two segments the OCSP request of a GET can follow. */
const plain = /^\/(?:ocsp|crl|ca)\/[^/%]/;

/**
 * Returns the request target of an OCSP responder, a CRL or a CA certificate in the form that certificates contain.
 * Undoes the changes of clients and proxies: absolute-form (RFC 9112 section 3.2.2), repeated slashes, percent-encoded
 * letters. Returns every other target unchanged.
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
