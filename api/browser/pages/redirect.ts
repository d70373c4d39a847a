import type { Response } from "express";

/** Sends the browser on with a GET, whatever it came with (RFC 9110 section 15.4.4). */
export function redirect({ response }: { response: Response }, location: string): void {
  response.statusCode = 303;
  response.setHeader("Location", location);
  response.end();
}
