import type { ServerResponse } from "node:http";
import { ServiceError } from "../../domain/errors.ts";
import { entityTag, hasRepresentation, matchesStrongly } from "./etag.ts";

/** The content of a response in the wrapper. */
export interface Answer {
  status: 200 | 202;
  data: unknown;
  page?: { limit: number; offset: number; total: number };
  /** A list's properties in addition to its items, by name. */
  included?: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string>>;
}

/**
 * Headers of every response: no type sniffing, no frames, no referrer, no storing. A cacheable response overrides
 * `Cache-Control`.
 */
const standingHeaders = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
} as const;

/** Sets the headers of every response. */
export function setSecurityHeaders(response: ServerResponse, { https }: { https: boolean }): void {
  for (const name in standingHeaders) response.setHeader(name, standingHeaders[name as keyof typeof standingHeaders]);
  if (https) response.setHeader("Strict-Transport-Security", "max-age=31536000");
}

/**
 * Sends a response in the wrapper. With `isCacheable`, a 200 response has a validator, and a client with a stored copy
 * revalidates that copy before each use (RFC 9110 section 13).
 */
export function sendAnswer(
  response: ServerResponse,
  { status, headers, ...answer }: Answer,
  { isCacheable }: { isCacheable: boolean },
): void {
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  const bytes = wrapped({ status, ...answer });
  if (isCacheable && status === 200)
    sendConditional(response, bytes, { type: jsonType, cacheControl: "private, no-cache" });
  else sendBytes(response, status, bytes, jsonType);
}

const wrapped = ({ status, data, page, included }: Omit<Answer, "headers">): Buffer =>
  Buffer.from(JSON.stringify({ result: "ok", code: status, data, ...page, ...included }));

/**
 * Throws `precondition_failed` if `If-Match` is present, is not `*` and does not list the tag that a GET would return
 * now.
 */
export function requireMatch(ifMatch: string | undefined, data: unknown): void {
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, entityTag(wrapped({ status: 200, data })))) {
    throw new ServiceError("precondition_failed");
  }
}

/**
 * Sends a response that clients may store and must revalidate: with a validator, or as 304 if the client has the same
 * bytes.
 */
export function sendConditional(
  response: ServerResponse,
  bytes: Buffer,
  { type, cacheControl = "no-cache" }: { type: string; cacheControl?: string },
): void {
  const tag = entityTag(bytes);
  response.setHeader("ETag", tag);
  response.setHeader("Cache-Control", cacheControl);
  if (hasRepresentation(response.req.headers["if-none-match"], tag)) {
    response.statusCode = 304;
    response.end();
  } else {
    sendBytes(response, 200, bytes, type);
  }
}

/** Sends JSON without the wrapper. */
export function sendJson(response: ServerResponse, status: number, body: unknown, type = jsonType): void {
  sendBytes(response, status, Buffer.from(JSON.stringify(body)), type);
}

const jsonType = "application/json; charset=utf-8";

function sendBytes(response: ServerResponse, status: number, bytes: Buffer, type: string): void {
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}
