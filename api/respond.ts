import type { Response } from "express";
import type { Answer } from "./endpoint.ts";

/**
 * On every answer: nobody guesses its type, frames it, learns where the reader came from, or keeps it. What may be
 * kept says so itself.
 */
const standingHeaders = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
} as const;

/** Sets the headers that every answer has. */
export function setStandingHeaders(response: Response, { https }: { https: boolean }): void {
  for (const name in standingHeaders) response.setHeader(name, standingHeaders[name as keyof typeof standingHeaders]);
  if (https) response.setHeader("Strict-Transport-Security", "max-age=31536000");
}

/** Sends an answer in the wrapper. */
export function sendAnswer(response: Response, { status, data, page, headers }: Answer): void {
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  sendJson(response, status, { result: "ok", code: status, data, ...page });
}

/** Sends JSON as it is. */
export function sendJson(
  response: Response,
  status: number,
  body: unknown,
  type = "application/json; charset=utf-8",
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}
