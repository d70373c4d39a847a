import type { Response } from "express";

/** Redirects the browser with a GET, whatever the request's method (RFC 9110 section 15.4.4). */
export function redirect({ response }: { response: Response }, location: string): void {
  response.statusCode = 303;
  response.setHeader("Location", location);
  response.end();
}
