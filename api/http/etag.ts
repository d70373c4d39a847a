import { hash } from "node:crypto";

/** Returns the strong entity tag of a response's bytes (RFC 9110 section 8.8.3): equal tags mean equal bytes. */
export const entityTag = (bytes: Buffer): string => `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`;

/**
 * Returns whether the client has this representation (`If-None-Match`, RFC 9110 section 13.1.2): the header lists its
 * tag, compared weakly, or is `*`. Whatever is not a tag in quotation marks is ignored.
 */
export function hasRepresentation(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(listedTag)].some(([, listed]) => listed === tag);
}

/**
 * Returns whether `If-Match` matches this tag (RFC 9110 section 13.1.1): the header lists it, compared strongly (a weak
 * tag never matches), or is `*`. Whatever is not a tag in quotation marks is ignored.
 */
export const matchesStrongly = (ifMatch: string, tag: string): boolean =>
  ifMatch.trim() === "*" ||
  [...ifMatch.matchAll(listedTag)].some(([whole, listed]) => !whole.startsWith("W/") && listed === tag);

const listedTag = /(?:W\/)?("[!\x23-\x7e\x80-\xff]*")/g;
