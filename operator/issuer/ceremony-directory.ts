import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { IssuerRow } from "../../db/queries/realm/issuers.ts";
import { createFile, makeDirectory } from "../../runtime/keys/data-directory.ts";
import type { CertificateAuthority } from "../../worker/keys/ceremony.ts";
import { EncryptedKey } from "../../worker/keys/encrypted-key.ts";
import { pem } from "../../pki/pem.ts";
import { CommandError } from "../../terminal/failure.ts";

/** The files of a root: its encrypted key and its certificate. */
export interface RootFiles {
  key: string;
  certificate: string;
}

/**
 * Writes a new root's encrypted key and certificate (mode 0600, directory 0700), with advice next to them. The names
 * contain the certificate's fingerprint, so no file is ever overwritten, and files left by an interrupted run do not
 * disturb a later run.
 */
export function writeRoot({
  directory,
  realm,
  root,
}: {
  directory: string;
  realm: string;
  root: CertificateAuthority;
}): RootFiles {
  makeDirectory(directory);
  createFile(join(directory, "README.txt"), () => advice);
  const stem = join(directory, `${realm}-root-${fingerprintOf(root.certificate).slice(0, 16)}`);
  const files = { key: `${stem}.key.json`, certificate: `${stem}.crt.pem` };
  createFile(files.key, () => JSON.stringify(root.encryptedKey, undefined, 2));
  createFile(files.certificate, () => pem("CERTIFICATE", root.certificate).trimEnd());
  return files;
}

/** Lists the roots of a realm whose key and certificate are still in the ceremony directory. */
export function listRoots({ directory, realm }: { directory: string; realm: string }): RootFiles[] {
  const names = new Set(readNames(directory));
  const stems = [...names].flatMap((name) => /^(.+-root-[0-9a-f]{16})\.key\.json$/.exec(name)?.[1] ?? []);
  return stems
    .filter((stem) => stem.slice(0, -"-root-0123456789abcdef".length) === realm && names.has(`${stem}.crt.pem`))
    .sort()
    .map((stem) => ({ key: join(directory, `${stem}.key.json`), certificate: join(directory, `${stem}.crt.pem`) }));
}

/** Reads a root's encrypted key; throws a CommandError that names the file if the key cannot be used. */
export function readRootKey(path: string): EncryptedKey {
  const parsed = EncryptedKey.safeParse(jsonOf(read(path)));
  if (!parsed.success)
    throw new CommandError("root_unusable", `${resolve(path)} is not an encrypted key of Realmpass.`);
  return parsed.data;
}

/** Replaces the file of a root's key with another record, atomically. */
export function replaceRootKey(path: string, encryptedKey: EncryptedKey): void {
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, `${JSON.stringify(encryptedKey, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
      flag: "wx",
    });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const why = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new CommandError("root_unusable", `${resolve(path)} cannot be replaced (${why}).`, { cause });
  }
}

/** Reads a root's certificate and encrypted key; throws a CommandError that names the unusable file. */
export function readRoot({ key, certificate }: RootFiles): CertificateAuthority {
  const encryptedKey = readRootKey(key);
  try {
    return { certificate: new X509Certificate(read(certificate)).raw, encryptedKey };
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError("root_unusable", `${resolve(certificate)} is not a certificate.`, { cause });
  }
}

/** Returns the SHA-256 of a certificate, in hexadecimal. */
export const fingerprintOf = (certificate: Uint8Array): string =>
  new X509Certificate(certificate).fingerprint256.replaceAll(":", "").toLowerCase();

/** Returns the fingerprint of an issuing CA's root. */
export const rootFingerprintOf = ({ chain, certificate }: Pick<IssuerRow, "chain" | "certificate">): string =>
  fingerprintOf(chain.at(-1) ?? certificate);

/** Returns a certificate's serial number in decimal. */
export const serialNumberOf = (certificate: Uint8Array): string =>
  BigInt(`0x${new X509Certificate(certificate).serialNumber}`).toString();

/** Returns what an operator should do with a new root, in a few lines. */
export const rootAdvice = ({ key, certificate }: RootFiles): string =>
  `The root key of the realm was written to ${key}, encrypted, and is kept nowhere else.\n` +
  `Move it and ${certificate} to an offline medium, with a second copy, and keep the passphrase of roots apart from it.\n` +
  `It is needed only for \`issuer rotate\` and, once a year, \`root sign-crl\`, with --root-key FILE --root-certificate FILE.`;

const advice = `Root keys of realms

Each pair of files here is the root of one realm: NAME-root-FINGERPRINT.key.json is its private key, encrypted under the
passphrase of roots (scrypt, AES-256-GCM), NAME-root-FINGERPRINT.crt.pem its certificate. The key was written here once
and is kept nowhere else; the service itself never reads it.

1. Copy both files to two offline media, and check that the copies can be read.
2. Keep the passphrase of roots (REALMPASS_ROOT_KEY_PASSPHRASE, or the file root-key-passphrase in the data directory)
   in another place: without it the key cannot be used, with it the key is open. Roots of earlier versions are under the
   issuer key passphrase until "operator root rewrap".
3. Delete the key from this directory.

It is needed only to make another issuing CA, every few years, and to renew the root's CRL, once a year:
   npm run operator -- issuer rotate --realm NAME --root-key FILE --root-certificate FILE
   npm run operator -- root sign-crl --realm NAME --root-key FILE --root-certificate FILE

\`issuer list\` shows the fingerprint of the root that a realm's issuers are under. A pair with another fingerprint was
left behind by an interrupted run; nothing depends on it, and it can be deleted.
`.trimEnd();

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function read(path: string): string | Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new CommandError("root_unusable", `${resolve(path)} cannot be read (${why}).`, { cause });
  }
}

function jsonOf(content: string | Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}
