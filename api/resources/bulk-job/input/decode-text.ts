import { UnusableFile } from "./input.ts";

/** Bytes decoded at once: few enough that no other request waits, and that a row without an end is noticed early. */
const pieceBytesMax = 4_096;

/**
 * Decodes bytes to text in small pieces, without a byte order mark. They must be UTF-8 unless the client names another
 * encoding: a wrong guess would turn names into other people's names. `iso-8859-1` is read as windows-1252, as
 * everywhere (WHATWG Encoding, section 4.2).
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  charset: string | undefined,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(charset ?? "utf-8", { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw notUtf8(cause);
    }
  };
  let first = true;
  for await (const piece of inPieces(bytes)) {
    const text = decode(piece);
    if (text === "") continue;
    // Every other byte of Latin text in UTF-16 is NUL.
    if (first && text.slice(0, 64).includes("\0")) throw notUtf8(undefined);
    first = false;
    yield text;
  }
  const rest = decode();
  if (rest !== "") yield rest;
}

const notUtf8 = (cause: unknown) =>
  new UnusableFile("The file is not UTF-8. In Excel, save it as “CSV UTF-8 (comma delimited)”.", { cause });

async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length; from += pieceBytesMax) yield chunk.subarray(from, from + pieceBytesMax);
  }
}
