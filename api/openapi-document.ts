import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endpoints } from "./endpoints.ts";
import { oauthPaths } from "./oauth/openapi.ts";
import { createOpenApiDocument } from "./contract/openapi/openapi.ts";

/** The service's address in the document, which is the default address. */
const address = "http://localhost:3000";

/**
 * Writes docs/openapi.json (`--write`), or fails if that file does not match the endpoints (`--check`). Run from the
 * project's folder.
 */
function main([option]: readonly string[]): number {
  const path = join(process.cwd(), "docs", "openapi.json");
  const text = `${JSON.stringify(createOpenApiDocument(endpoints, oauthPaths, { baseUrl: address, authUrl: address }), null, 2)}\n`;
  if (option === "--write") {
    writeFileSync(path, text);
    return 0;
  }
  if (option === "--check") {
    if (read(path) === text) return 0;
    process.stderr.write(
      "docs/openapi.json differs from the endpoints. Run `npm run openapi`, and read the difference.\n",
    );
    return 1;
  }
  process.stderr.write("usage: openapi-document --write | --check\n");
  return 2;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

process.exitCode = main(process.argv.slice(2));
