import { hash } from "node:crypto";

/** The strong entity tag of an answer's bytes (RFC 9110 section 8.8.3): equal tags are equal bytes. */
export const entityTag = (bytes: Buffer): string => `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`;

/**
 * Whether the client says that it has this very representation (`If-None-Match`, RFC 9110 section 13.1.2): one of the
 * tags that it lists, compared weakly, or `*`. What is no list of tags matches nothing.
 */
export function hasRepresentation(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(listedTag)].some(([, listed]) => listed === tag);
}

/**
 * Whether `If-Match` has this tag (RFC 9110 section 13.1.1): in its list, compared strongly, so that a weak one is never
 * it, or as `*`. What is no list of tags matches nothing.
 */
export const matchesStrongly = (ifMatch: string, tag: string): boolean =>
  ifMatch.trim() === "*" ||
  [...ifMatch.matchAll(listedTag)].some(([whole, listed]) => !whole.startsWith("W/") && listed === tag);

const listedTag = /(?:W\/)?("[!\x23-\x7e\x80-\xff]*")/g;
