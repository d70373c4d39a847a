import { readFileSync } from "node:fs";
import { readCaCertificates } from "../../runtime/ca-certificates.ts";
import { CommandError } from "../../terminal/failure.ts";

/** Reads the certificates of a PEM file, which must contain only CA certificates; undefined if no file is named. */
export function readCertificates(path: string | undefined, at: Date): string | undefined {
  if (path === undefined) return undefined;
  const read = readCaCertificates(readText(path), at);
  if ("certificates" in read) return read.certificates;
  throw new CommandError("unreadable_file", `${path} ${read.fault}.`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new CommandError("unreadable_file", `${path} cannot be read.`, { cause });
  }
}
