/** What a logo may be, and how its bytes begin. */
const beginnings = {
  "image/png": (bytes: Buffer) => bytes.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n",
  "image/jpeg": (bytes: Buffer) => bytes.subarray(0, 3).toString("latin1") === "\xff\xd8\xff",
  "image/gif": (bytes: Buffer) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString("latin1")),
  "image/webp": (bytes: Buffer) => /^RIFF[^]{4}WEBP$/.test(bytes.subarray(0, 12).toString("latin1")),
  "image/avif": isAvif,
  "image/svg+xml": isSvg,
} as const satisfies Record<string, (bytes: Buffer) => boolean>;

export type PictureType = keyof typeof beginnings;

/** The kinds of pictures that are taken, as an Accept header lists them. */
export const acceptedPictures = Object.keys(beginnings).join(", ");

/** The kind of a picture: what its Content-Type says, if its bytes begin so as well. */
export function pictureTypeOf(contentType: string | undefined, bytes: Buffer): PictureType | undefined {
  const said = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase();
  const type = (Object.keys(beginnings) as PictureType[]).find((known) => known === said);
  return type !== undefined && beginnings[type](bytes) ? type : undefined;
}

/** A file type box (ISO/IEC 14496-12 section 4.3) that names AVIF among its brands. */
function isAvif(bytes: Buffer): boolean {
  if (bytes.length < 16 || bytes.toString("latin1", 4, 8) !== "ftyp") return false;
  const brands = bytes.toString("latin1", 8, Math.min(bytes.readUInt32BE(0), bytes.length, 256));
  return (brands.match(/[^]{4}/g) ?? []).some((brand) => brand === "avif" || brand === "avis");
}

/** How much of a file what comes before its first element may take. */
const prologLengthMax = 8_192;

/** What may come before a document's element (XML 1.0 section 2.8). */
const prologParts = [/^<\?[^]*?\?>/, /^<!--[^]*?-->/, /^<!DOCTYPE\s+svg\b[^[>]*(?:\[[^\]]*\]\s*)?>/];

/** XML in UTF-8 whose first element is `svg`. */
function isSvg(bytes: Buffer): boolean {
  let rest = bytes.toString("utf8", 0, prologLengthMax).replace(/^\ufeff/, "");
  for (;;) {
    rest = rest.trimStart();
    const found = prologParts.map((part) => part.exec(rest)?.[0]).find((part) => part !== undefined);
    if (found === undefined) return /^<(?:svg:)?svg[\s/>]/.test(rest);
    rest = rest.slice(found.length);
  }
}
