import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { programFile, runsFromSource } from "../../../runtime/program-files.ts";

/** A file of the console, as sent to the browser. */
export interface ConsoleFile {
  bytes: Buffer;
  type: string;
  /** Its content encoding; undefined: none. */
  encoding: "br" | "gzip" | undefined;
}

export interface ConsoleFiles {
  /** Returns the console's only page, with its placeholders; undefined if the console has not been built. */
  page(): Promise<string | undefined>;
  /** Returns a file that the page loads, in an encoding that the browser accepts; undefined if it does not exist. */
  asset(name: string, accepts: string): Promise<ConsoleFile | undefined>;
}

/** The folder of the built console. */
const builtFolder = fileURLToPath(programFile(runsFromSource ? "dist/console" : "console"));

/** Matches the name of an asset. A matching name cannot lead out of the folder. */
const assetName = /^[\w-][\w.-]{0,199}$/;

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
};

const packings = [
  { encoding: "br", suffix: ".br" },
  { encoding: "gzip", suffix: ".gz" },
] as const;

/** Opens the built console. Assets are read once and cached: their names change with their content. */
export function openConsoleFiles(folder = builtFolder): ConsoleFiles {
  const kept = new Map<string, Buffer>();
  const readAsset = async (name: string): Promise<Buffer | undefined> => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const bytes = await readIfThere(path.join(folder, "assets", name));
    if (bytes !== undefined) kept.set(name, bytes);
    return bytes;
  };
  return {
    async page() {
      return (await readIfThere(path.join(folder, "index.html")))?.toString("utf8");
    },

    async asset(name, accepts) {
      const type = types[path.extname(name)];
      if (!assetName.test(name) || type === undefined) return undefined;
      for (const { encoding, suffix } of packings) {
        const bytes = takes(accepts, encoding) ? await readAsset(`${name}${suffix}`) : undefined;
        if (bytes !== undefined) return { bytes, type, encoding };
      }
      const bytes = await readAsset(name);
      return bytes && { bytes, type, encoding: undefined };
    },
  };
}

/** Returns whether an `Accept-Encoding` (RFC 9110 section 12.5.3) names an encoding and does not refuse it. */
const takes = (header: string, encoding: string): boolean =>
  new RegExp(String.raw`(?:^|[\s,])${encoding}\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))`, "i").test(header);

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return undefined;
    throw error;
  }
}
