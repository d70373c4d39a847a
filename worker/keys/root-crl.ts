import { hash } from "node:crypto";
import type { SerialNumber } from "../../domain/ids.ts";
import { signedRevocationTime } from "../../domain/certificate/revocation.ts";
import { clockRoomMinutes, rootCrlDays } from "../../domain/lifetimes.ts";
import { encodeCrlEntries, readCrlEntries, signCrl, type CrlEntry } from "../../pki/crl.ts";
import { loadCrlSigner } from "../../pki/issuer.ts";
import type { CertificateAuthority } from "./ceremony.ts";
import { openFileSigner } from "./file-signer.ts";

/** A root's CRL, which lists the issuing CAs that the root has revoked. */
export interface RootCrl {
  /** SHA-256 of the root's certificate, in hexadecimal. */
  fingerprint: string;
  number: string;
  /** The number of the CRL that this CRL replaces; null for a root's first CRL. */
  replaces: string | null;
  thisUpdate: Date;
  nextUpdate: Date;
  entries: readonly CrlEntry[];
  der: Buffer;
}

/**
 * Signs the next CRL of a root (RFC 5280 section 5), valid for {@link rootCrlDays}. The CRL keeps the entries of the
 * previous CRL. Its number is at least the seconds since 1970, so numbers increase even after a restore. Throws
 * EncryptedKeyError for a wrong passphrase, IssuerError if key and certificate do not belong together.
 */
export async function signRootCrl({
  root,
  passphrase,
  before,
  revoke = [],
  at,
}: {
  root: CertificateAuthority;
  /** The passphrase of the root's key; several, one per line. */
  passphrase: string;
  /** The root's current CRL; undefined if none was published. */
  before: { number: string; der: Uint8Array } | undefined;
  /** Serial numbers of issuing CAs. */
  revoke?: readonly SerialNumber[];
  at: Date;
}): Promise<RootCrl> {
  const signer = await openFileSigner(root.encryptedKey, passphrase);
  const listed = before === undefined ? [] : readCrlEntries(before.der);
  const known = new Set(listed.map(({ serialNumber }) => serialNumber));
  const entries = [
    ...listed,
    ...[...new Set(revoke)]
      .filter((serialNumber) => !known.has(serialNumber))
      .map((serialNumber): CrlEntry => ({ serialNumber, revokedAt: signedRevocationTime(at), reason: null })),
  ];
  const seconds = BigInt(Math.floor(at.getTime() / 1000));
  const next = BigInt(before?.number ?? 0) + 1n;
  const number = next > seconds ? next : seconds;
  const thisUpdate = new Date(at.getTime() - clockRoomMinutes * 60_000);
  const nextUpdate = new Date(at.getTime() + rootCrlDays * 86_400_000);
  const encoded = encodeCrlEntries(entries);
  const { head, tail } = await signCrl(
    loadCrlSigner({ certificate: root.certificate, signer }),
    { number, thisUpdate, nextUpdate, pieces: [encoded] },
    () => Promise.resolve(),
  );
  return {
    fingerprint: hash("sha256", root.certificate, "hex"),
    number: String(number),
    replaces: before?.number ?? null,
    thisUpdate,
    nextUpdate,
    entries,
    der: Buffer.concat([head, encoded, tail]),
  };
}
