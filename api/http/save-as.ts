import type { ServerResponse } from "node:http";

const safeName = /^[\w.-]+$/;

/**
 * Makes browsers save the response under this name instead of showing it (RFC 6266). Throws RangeError unless the name is
 * letters, digits, dots, hyphens and underscores of ASCII, which need neither quoting nor encoding.
 */
export function saveAs(response: ServerResponse, fileName: string): void {
  if (!safeName.test(fileName)) throw new RangeError("the name of a download has characters that a header cannot hold");
  response.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
}
