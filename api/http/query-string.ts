import { ServiceError } from "../../domain/errors.ts";
import { isText } from "./json-text.ts";

/**
 * The longest name or value of a query or form, in characters. Pages allow more: their queries contain addresses of
 * other pages.
 */
const usualLengthMax = 4096;

/**
 * Parses a query or form (`application/x-www-form-urlencoded`) into every value of each name. Throws `invalid_request`
 * for invalid percent escapes, invalid UTF-8, NUL, and names or values of more than `valueLengthMax` characters (4096).
 */
export function parsePairs(text: string, { valueLengthMax = usualLengthMax } = {}): Map<string, string[]> {
  const pairs = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decodePart(at < 0 ? pair : pair.slice(0, at), valueLengthMax);
    const value = decodePart(at < 0 ? "" : pair.slice(at + 1), valueLengthMax);
    const values = pairs.get(name);
    if (values === undefined) pairs.set(name, [value]);
    else values.push(value);
  }
  return pairs;
}

function decodePart(encoded: string, valueLengthMax: number): string {
  const decoded = decodePercent(encoded.replace(/\+/g, " "));
  if (decoded.length > valueLengthMax) {
    throw new ServiceError("invalid_request", {
      description: `A parameter is longer than ${valueLengthMax} characters.`,
    });
  }
  return decoded;
}

/** Decodes percent escapes. Throws `invalid_request` if they are invalid or do not decode to text. */
function decodePercent(encoded: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(encoded);
  } catch (cause) {
    throw new ServiceError("invalid_request", { description: "A percent escape is not valid.", cause });
  }
  if (!isText(decoded)) throw new ServiceError("invalid_request", { description: "A parameter contains NUL." });
  return decoded;
}

/** Returns the query of a request target, undecoded. */
export function queryOf(target: string): string {
  const at = target.indexOf("?");
  return at < 0 ? "" : target.slice(at + 1);
}
