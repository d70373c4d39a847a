/**
 * A strict DER reader (ITU-T X.690) for untrusted bytes: low tags, definite and shortest lengths, no bytes left over.
 * It reads in place, never descends deeper than its caller asks, and throws {@link DerError} for anything else.
 */

/** The bytes are not the expected DER. */
export class DerError extends Error {
  override readonly name = "DerError";
}

/** An element: its tag octet and the offsets of its start, its content and its end. */
export interface Der {
  readonly bytes: Buffer;
  readonly tagOctet: number;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
}

/** Returns the single element that fills the bytes completely. */
export function readWhole(bytes: Buffer, tagOctet: number): Der {
  const element = elementAt(bytes, 0, bytes.length);
  if (element.end !== bytes.length) throw new DerError("octets after the end");
  return expectTag(element, tagOctet);
}

/**
 * Returns the elements directly inside `parent`, in order; they must fill the parent exactly. Throws if there are more
 * than `countMax`.
 */
export function children(parent: Der, countMax = 64): Der[] {
  const found: Der[] = [];
  for (let at = parent.contentStart; at < parent.end;) {
    if (found.length === countMax) throw new DerError("too many elements");
    const child = elementAt(parent.bytes, at, parent.end);
    found.push(child);
    at = child.end;
  }
  return found;
}

/** Returns the single element inside an explicit tag. */
export function onlyChild(parent: Der, tagOctet: number): Der {
  const [child, second] = children(parent, 2);
  if (child === undefined || second !== undefined) throw new DerError("expected one element");
  return expectTag(child, tagOctet);
}

/** Returns the element if it is present and has this tag; otherwise throws. */
export function expectTag(element: Der | undefined, tagOctet: number): Der {
  if (element?.tagOctet !== tagOctet) throw new DerError("another element was expected");
  return element;
}

export const contentOf = ({ bytes, contentStart, end }: Der): Buffer => bytes.subarray(contentStart, end);

/** Returns the octets of the element, with its tag and length. */
export const encodingOf = ({ bytes, start, end }: Der): Buffer => bytes.subarray(start, end);

function elementAt(bytes: Buffer, start: number, limit: number): Der {
  if (limit - start < 2) throw new DerError("cut short");
  const tagOctet = bytes.readUInt8(start);
  if ((tagOctet & 0x1f) === 0x1f) throw new DerError("a high tag");
  const first = bytes.readUInt8(start + 1);
  let contentStart = start + 2;
  let length = first;
  if (first >= 0x80) {
    const octets = first & 0x7f;
    if (octets === 0 || octets > 3 || contentStart + octets > limit) throw new DerError("not a definite length");
    length = bytes.readUIntBE(contentStart, octets);
    contentStart += octets;
    if (length < 0x80 || length < 2 ** (8 * (octets - 1))) throw new DerError("not the shortest length");
  }
  const end = contentStart + length;
  if (end > limit) throw new DerError("cut short");
  return { bytes, tagOctet, start, contentStart, end };
}
