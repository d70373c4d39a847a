import { TextDecoder } from "node:util";
import { UnusableFile } from "./input.ts";

/**
 * How many bytes are decoded in one go: few enough that other requests do not wait, and that an endless row is noticed
 * early.
 */
const pieceBytesMax = 4_096;

/**
 * Decodes bytes to text in small pieces, without a byte order mark. They must be UTF-8, or UTF-16 with a byte order mark
 * (Unicode 23.8), unless the client names another encoding: a wrong guess would turn names into other people's names.
 * `iso-8859-1` is read as windows-1252, as everywhere (WHATWG Encoding, section 4.2).
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  charset: string | undefined,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  const decode = (chunk?: Uint8Array): string => {
    try {
      decoder ??= new TextDecoder(charset ?? markedEncoding(chunk) ?? "utf-8", { fatal: true });
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

/** Returns the encoding that a byte order mark of UTF-16 names. */
function markedEncoding([first, second]: Uint8Array = new Uint8Array()): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

const notUtf8 = (cause: unknown) =>
  new UnusableFile("The file is not UTF-8. In Excel, save it as “CSV UTF-8 (comma delimited)”.", { cause });

/** Yields small pieces, the first with at least two bytes if the input has two. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun = new Uint8Array();
  for await (const chunk of bytes) {
    const whole = begun.length === 1 ? Uint8Array.from([...begun, ...chunk]) : chunk;
    if (begun.length < 2) begun = whole.slice(0, 2);
    if (begun.length < 2) continue;
    for (let from = 0; from < whole.length; from += pieceBytesMax) yield whole.subarray(from, from + pieceBytesMax);
  }
  if (begun.length === 1) yield begun;
}
