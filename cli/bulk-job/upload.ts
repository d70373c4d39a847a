import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname } from "node:path";
import { Readable } from "node:stream";
import { CommandError, usageError } from "../../terminal/failure.ts";
import type { Input } from "../../terminal/streams.ts";

export const uploadTypes = { csv: "text/csv", json: "application/json", ndjson: "application/x-ndjson" } as const;
export type UploadType = keyof typeof uploadTypes;

/** Encodings of a CSV file. */
export const uploadCharsets = ["utf-8", "windows-1252", "iso-8859-1"] as const;
export type UploadCharset = (typeof uploadCharsets)[number];

const typeOfExtension: Readonly<Record<string, UploadType>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
  ".json": "json",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

export interface Upload {
  contentType: string;
  open: () => ReadableStream<Uint8Array>;
  /** Whether the command can open the file again for another attempt. */
  repeatable: boolean;
}

/**
 * Returns a file, or standard input for `-`, as a request body that is streamed and never completely in memory. Throws
 * if the type is not given and the file's extension does not show it.
 */
export async function uploadOf(
  path: string,
  { type, charset, stdin }: { type: UploadType | undefined; charset: UploadCharset | undefined; stdin: Input },
): Promise<Upload> {
  const known = type ?? typeOfExtension[extname(path).toLowerCase()];
  if (known === undefined)
    throw usageError(
      `The type of ${path === "-" ? "standard input" : path} is unknown: add --type csv, json or ndjson.`,
    );
  const contentType = uploadTypes[known] + (charset === undefined ? "" : `; charset=${charset}`);
  if (path === "-") return { contentType, open: () => streamOf(stdin), repeatable: false };
  const found = await stat(path);
  if (found.isDirectory()) throw new CommandError("file", `${path} is a directory.`);
  return { contentType, open: () => streamOf(createReadStream(path)), repeatable: found.isFile() };
}

const streamOf = (readable: Readable): ReadableStream<Uint8Array> =>
  Readable.toWeb(readable) as ReadableStream<Uint8Array>;
