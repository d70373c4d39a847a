import type { IncomingMessage } from "node:http";
import { ServiceError } from "../../domain/errors.ts";
import { bodyBytesMax } from "../../domain/limits.ts";
import { hasBody } from "../../runtime/leftover.ts";
import { parseJson } from "./json-text.ts";

/** Returns the JSON body of a request; undefined if there is none. Throws a ServiceError if it cannot be read. */
export async function readJsonBody(request: IncomingMessage, limits?: BodyLimits): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  const type = request.headers["content-type"];
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return undefined;
  if (type !== undefined && !isJson(type)) throw new ServiceError("unsupported_media_type");
  const text = decodeUtf8(bytes);
  return text.trim() === "" ? undefined : parseJson(text);
}

/** How long bodies may take, in milliseconds. */
export interface BodyLimits {
  /** A whole body, uploads excepted. Default: 15 s. */
  bodyMsMax?: number;
  /** The longest wait for the next chunk of an upload. Default: 30 s. */
  silenceMsMax?: number;
}

/**
 * Reads a whole body. Throws `payload_too_large` beyond the limit, `unsupported_media_type` if it is compressed, and
 * `invalid_request` if it takes too long or ends early.
 */
export async function readBytes(request: IncomingMessage, { bodyMsMax = 15_000 }: BodyLimits = {}): Promise<Buffer> {
  requireUncompressed(request);
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax) throw new ServiceError("payload_too_large");

  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ServiceError("invalid_request", { description: "The body took too long." }));
    }, bodyMsMax);
    request.once("close", () => {
      clearTimeout(timer);
    });
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyBytesMax) chunks.push(chunk);
      else reject(new ServiceError("payload_too_large"));
    });
    request.once("end", () => {
      clearTimeout(timer);
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    request.once("error", (cause) => {
      reject(new ServiceError("invalid_request", { description: "The body ended early.", cause }));
    });
  });
}

/** Throws `unsupported_media_type` for a compressed body. */
export function requireUncompressed({ headers }: IncomingMessage): void {
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw new ServiceError("unsupported_media_type", { description: "The request body must not be compressed." });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8 (RFC 8259 section 8.1). Throws `invalid_request` for any other bytes. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ServiceError("invalid_request", { description: "The body is not UTF-8.", cause });
  }
}

/** Returns whether a type is `application/json` or based on it, in UTF-8. */
function isJson(contentType: string): boolean {
  const { type, charset } = mediaType(contentType);
  return /^application\/(?:json|[\w.!#$&^-]+\+json)$/.test(type) && (charset === undefined || charset === "utf-8");
}

/**
 * Returns the media type and the charset of a Content-Type, in lower case; the charset is undefined if none is given.
 */
export function mediaType(contentType: string): { type: string; charset: string | undefined } {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
    .find(Boolean);
  return { type: type.trim(), charset: charset === "utf8" ? "utf-8" : charset };
}
