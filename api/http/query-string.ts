import { ServiceError } from "../../domain/errors.ts";
import { isText } from "./json-text.ts";

/** No value of a query is longer, unless the address of another page is among them. */
const usualLengthMax = 4096;

/**
 * The parameters of a query or form (`application/x-www-form-urlencoded`), with every value that a name was given.
 * Throws `invalid_request` for bad percent escapes, bytes that are no UTF-8, NUL, and values of more than
 * `valueLengthMax` characters (4096).
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

/** Undoes percent escapes. Throws `invalid_request` for what is not escaped text. */
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

/** The query of a request target, undecoded. */
export function queryOf(target: string): string {
  const at = target.indexOf("?");
  return at < 0 ? "" : target.slice(at + 1);
}
