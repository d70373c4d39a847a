import type { IncomingMessage } from "node:http";
import { ServiceError } from "../../domain/errors.ts";
import { parsePairs } from "./query-string.ts";
import { decodeUtf8, mediaType, readBytes } from "./request-body.ts";

/** The parameters of a form: each occurs once, with a value. */
export type Form = ReadonlyMap<string, string>;

/**
 * Reads a form. Ignores parameters in the query (RFC 6749 section 2.3.1), treats an empty parameter as omitted and
 * rejects a repeated one (section 3.2).
 */
export async function readForm(request: IncomingMessage, limits: { valueLengthMax?: number } = {}): Promise<Form> {
  const { type, charset } = mediaType(request.headers["content-type"] ?? "");
  if (type !== "application/x-www-form-urlencoded" || (charset !== undefined && charset !== "utf-8")) {
    throw new ServiceError("invalid_request", {
      description: "The body must be application/x-www-form-urlencoded in UTF-8.",
    });
  }
  const form = new Map<string, string>();
  for (const [name, values] of await readPairs(request, limits)) {
    if (values.length > 1) throw new ServiceError("invalid_request", { description: "A parameter occurs twice." });
    const [value] = values;
    if (value !== undefined && value !== "") form.set(name, value);
  }
  return form;
}

async function readPairs(
  request: IncomingMessage,
  limits: { valueLengthMax?: number },
): Promise<Map<string, string[]>> {
  try {
    return parsePairs(decodeUtf8(await readBytes(request)), limits);
  } catch (error) {
    if (error instanceof ServiceError)
      throw new ServiceError("invalid_request", { description: error.message, cause: error });
    throw error;
  }
}

/** Returns a parameter. Throws `invalid_request` if it is missing. */
export function required(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined)
    throw new ServiceError("invalid_request", { description: `The parameter ${name} is missing.` });
  return value;
}
