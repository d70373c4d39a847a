import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { generateAuditKey } from "./audit-key.ts";
import { generateOutputKeyPair } from "./sealed-output.ts";

/** Secrets that a single machine keeps in files because nobody has set them otherwise. */
export interface DataDirectory {
  path: string;
  /** Where the root keys of new realms are put, encrypted, for the operator to move offline. */
  ceremony: string;
  secret(name: SecretName): string;
}

const secretFiles = {
  masterKey: "master-key",
  issuerKeyPassphrase: "issuer-key-passphrase",
  outputPrivateKey: "output-private-key.json",
  outputPublicKey: "output-public-key.json",
  auditKey: "audit-key.json",
} as const;
export type SecretName = keyof typeof secretFiles;

/**
 * Opens the directory, making it (mode 0700) and whatever secret is missing from it (mode 0600). Several processes may
 * do this at once: each file appears whole, and the first one stays.
 */
export function openDataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  chmodSync(root, 0o700);
  const file = (name: SecretName): string => join(root, secretFiles[name]);

  createFile(file("masterKey"), () => randomBytes(32).toString("base64url"));
  createFile(file("issuerKeyPassphrase"), () => randomBytes(32).toString("base64url"));
  // One file holds both halves, so that two processes starting at once cannot end up with halves of different pairs.
  createFile(file("outputPrivateKey"), () => generateOutputKeyPair().privateJwk);
  createFile(file("outputPublicKey"), () => publicHalf(readFileSync(file("outputPrivateKey"), "utf8")));
  createFile(file("auditKey"), generateAuditKey);

  return {
    path: root,
    ceremony: join(root, "ceremony"),
    secret: (name) => readFileSync(file(name), "utf8").trim(),
  };
}

function publicHalf(privateJwk: string): string {
  const { kty, crv, x, y } = JSON.parse(privateJwk) as Record<string, string>;
  return JSON.stringify({ kty, crv, x, y });
}

/** Writes a file that is not there yet: whole or not at all, readable by the owner alone, never over an existing one. */
export function createFile(path: string, content: () => string): void {
  if (existsSync(path)) return;
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(temporary, `${content()}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(temporary);
  }
}
