/** The permitted types of a logo, each with a test of its first bytes. */
const beginnings = {
  "image/png": (bytes: Buffer) => bytes.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n",
  "image/jpeg": (bytes: Buffer) => bytes.subarray(0, 3).toString("latin1") === "\xff\xd8\xff",
  "image/gif": (bytes: Buffer) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString("latin1")),
  "image/webp": (bytes: Buffer) => /^RIFF[^]{4}WEBP$/.test(bytes.subarray(0, 12).toString("latin1")),
  "image/avif": isAvif,
  "image/svg+xml": isSvg,
} as const satisfies Record<string, (bytes: Buffer) => boolean>;

export type PictureType = keyof typeof beginnings;

/** The permitted types, as in an Accept header. */
export const acceptedPictures = Object.keys(beginnings).join(", ");

/** Returns the picture's type: its Content-Type, if its first bytes match. */
export function pictureTypeOf(contentType: string | undefined, bytes: Buffer): PictureType | undefined {
  const declared = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase();
  const type = (Object.keys(beginnings) as PictureType[]).find((known) => known === declared);
  return type !== undefined && beginnings[type](bytes) ? type : undefined;
}

/** Returns whether a file type box (ISO/IEC 14496-12 section 4.3) lists AVIF among its brands. */
function isAvif(bytes: Buffer): boolean {
  if (bytes.length < 16 || bytes.toString("latin1", 4, 8) !== "ftyp") return false;
  const brands = bytes.toString("latin1", 8, Math.min(bytes.readUInt32BE(0), bytes.length, 256));
  return (brands.match(/[^]{4}/g) ?? []).some((brand) => brand === "avif" || brand === "avis");
}

/** The longest prolog before a file's first element. */
const prologLengthMax = 8_192;

/** The parts that may precede a document's element (XML 1.0 section 2.8). */
const prologParts = [/^<\?[^]*?\?>/, /^<!--[^]*?-->/, /^<!DOCTYPE\s+svg\b[^[>]*(?:\[[^\]]*\]\s*)?>/];

/** Returns whether the bytes are XML in UTF-8 whose first element is `svg`. */
function isSvg(bytes: Buffer): boolean {
  let rest = bytes.toString("utf8", 0, prologLengthMax).replace(/^\ufeff/, "");
  for (;;) {
    rest = rest.trimStart();
    const found = prologParts.map((part) => part.exec(rest)?.[0]).find((part) => part !== undefined);
    if (found === undefined) return /^<(?:svg:)?svg[\s/>]/.test(rest);
    rest = rest.slice(found.length);
  }
}
