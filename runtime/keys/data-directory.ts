import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { generateAuditKey } from "./audit-key.ts";
import { ConfigError } from "../config/config.ts";
import { generateOutputKeyPair } from "./sealed-output.ts";

const drawText = (): string => randomBytes(32).toString("base64url");

/**
 * Every secret that a process can read from a file of its data directory: the file, and the variable that overrides the
 * file.
 */
export const secretFiles = {
  masterKey: { variable: "REALMPASS_MASTER_KEY", file: "master-key" },
  outputPrivateKey: { variable: "REALMPASS_OUTPUT_PRIVATE_KEY", file: "output-private-key.json" },
  outputPublicKey: { variable: "REALMPASS_OUTPUT_PUBLIC_KEY", file: "output-public-key.json" },
  issuerKeyPassphrase: { variable: "REALMPASS_ISSUER_KEY_PASSPHRASE", file: "issuer-key-passphrase" },
  rootKeyPassphrase: { variable: "REALMPASS_ROOT_KEY_PASSPHRASE", file: "root-key-passphrase" },
  auditKey: { variable: "REALMPASS_AUDIT_KEY", file: "audit-key.json" },
  auditPublicKey: { variable: "REALMPASS_AUDIT_KEY", file: "audit-public-key.json" },
} as const;
export type SecretName = keyof typeof secretFiles;

/** Functions that make each secret. A secret without a function is the public half of another secret. */
export const drawSecret = {
  masterKey: drawText,
  outputPrivateKey: () => generateOutputKeyPair().privateJwk,
  issuerKeyPassphrase: drawText,
  rootKeyPassphrase: drawText,
  auditKey: generateAuditKey,
} as const;
export type DrawnSecret = keyof typeof drawSecret;

/** The secrets that a process needs and that no variable sets, as files of one directory. */
export interface DataDirectory<Name extends SecretName = SecretName> {
  path: string;
  /** The folder with the root keys of new realms, encrypted, for the operator to move offline. */
  ceremony: string;
  /** Returns the content of the file; undefined if there is no file. */
  find(name: Name): string | undefined;
  /**
   * Makes the secret (mode 0600) if it does not exist yet, and the directory (mode 0700) if needed. If several
   * processes make a secret at the same time, the first file stays; readers never see a partial file.
   */
  make(name: Name & DrawnSecret): string;
}

/**
 * Opens a directory to read the needed secrets; writes nothing until `make` is called. Throws a ConfigError for a file
 * that exists and cannot be read.
 */
export function openDataDirectory<Name extends SecretName>(path: string, needs: readonly Name[]): DataDirectory<Name> {
  const root = resolve(path);
  const found = new Map(needs.map((name) => [name, readSecret(root, name)]));

  return {
    path: root,
    ceremony: join(root, "ceremony"),
    find: (name) => found.get(name),
    make(name) {
      makeDirectory(root);
      createFile(join(root, secretFiles[name].file), drawSecret[name]);
      const made = readSecret(root, name);
      if (made === undefined) throw new Error(`${secretFiles[name].file} was removed as it was made`);
      found.set(name, made);
      return made;
    },
  };
}

/**
 * Makes a directory that only its owner can read, or restricts an existing directory. Leaves a restricted directory
 * untouched: it may be on a read-only file system.
 */
export function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if ((statSync(path).mode & 0o777) !== 0o700) chmodSync(path, 0o700);
}

function readSecret(root: string, name: SecretName): string | undefined {
  const { variable, file } = secretFiles[name];
  const path = join(root, file);
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new ConfigError([`${variable}: not set, and ${path} cannot be read (${code})`]);
  }
}

/** Writes a new file, readable only by its owner: whole or not at all. Never replaces an existing file. */
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
