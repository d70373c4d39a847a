import { hash } from "node:crypto";
import type { Database } from "../db/client.ts";
import * as ocsp from "../db/queries/certificates/ocsp.ts";
import type { Clock } from "../runtime/clock.ts";
import { children, contentOf, DerError, encodingOf, expectTag, readWhole } from "../pki/der-reader.ts";
import { contextConstructed, tag } from "../pki/der.ts";
import type { CertId, CertIdHash } from "./ocsp-request.ts";

/** What a responder has to know of an issuer. */
export interface OcspIssuer {
  readonly issuerId: string;
  readonly notAfter: Date;
  /** Its names in a CertID, by hash algorithm. */
  readonly hashes: Readonly<Record<CertIdHash, { name: Buffer; key: Buffer }>>;
}

export interface OcspIssuers {
  /** The issuer, as long as it has not ended: nothing that it signed is valid any more then. */
  find(issuerId: string): Promise<OcspIssuer | undefined>;
  /** The issuers that have not ended: first those that issue, newest first. */
  listCurrent(limit: number): Promise<OcspIssuer[]>;
}

/** How long it is remembered that there is no such issuer, and of how many. */
const absentMs = 1_000;
const absentMax = 1_000;

/** Issuers as they are asked for. One never changes, so it is read once. */
export function createOcspIssuers({ db, clock }: { db: Pick<Database, "query">; clock: Clock }): OcspIssuers {
  const known = new Map<string, Promise<OcspIssuer | undefined>>();
  const absent = new Map<string, number>();

  async function read(issuerId: string): Promise<OcspIssuer | undefined> {
    const [row] = await ocsp.findIssuer(db, issuerId);
    if (row !== undefined) return readOcspIssuer(row);
    known.delete(issuerId);
    if (absent.size >= absentMax) absent.clear();
    absent.set(issuerId, clock.now().getTime() + absentMs);
    return undefined;
  }

  return {
    async find(issuerId) {
      const at = clock.now();
      if ((absent.get(issuerId) ?? 0) > at.getTime()) return undefined;
      let found = known.get(issuerId);
      if (found === undefined) {
        found = read(issuerId);
        known.set(issuerId, found);
        found.catch(() => known.delete(issuerId));
      }
      const issuer = await found;
      return issuer !== undefined && issuer.notAfter > at ? issuer : undefined;
    },

    async listCurrent(limit) {
      return (await ocsp.listCurrent(db, { at: clock.now(), limit })).flatMap(readIfReadable);
    },
  };
}

/** Whether a CertID names this issuer (RFC 6960 section 4.1.1). */
export function isIssuerOf(issuer: OcspIssuer, { hash: algorithm, issuerNameHash, issuerKeyHash }: CertId): boolean {
  if (algorithm === null) return false;
  const { name, key } = issuer.hashes[algorithm];
  return name.equals(issuerNameHash) && key.equals(issuerKeyHash);
}

/** What others have to be answered for must not hang on one that cannot be read. */
function readIfReadable(row: ocsp.OcspIssuer): OcspIssuer[] {
  try {
    return [readOcspIssuer(row)];
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}

/** The name is hashed as the issuer's certificate has it, and of its key the bits alone (RFC 6960 section 4.1.1). */
function readOcspIssuer({ id, certificate, notAfter }: ocsp.OcspIssuer): OcspIssuer {
  const fields = children(expectTag(children(readWhole(certificate, tag.sequence))[0], tag.sequence));
  if (fields[0]?.tagOctet === contextConstructed(0)) fields.shift();
  const subject = encodingOf(expectTag(fields[4], tag.sequence));
  const [, bits] = children(expectTag(fields[5], tag.sequence), 2);
  const key = contentOf(expectTag(bits, tag.bitString)).subarray(1);
  const hashesOf = (algorithm: CertIdHash): { name: Buffer; key: Buffer } => ({
    name: hash(algorithm, subject, "buffer"),
    key: hash(algorithm, key, "buffer"),
  });
  return {
    issuerId: id,
    notAfter,
    hashes: {
      sha1: hashesOf("sha1"),
      sha256: hashesOf("sha256"),
      sha384: hashesOf("sha384"),
      sha512: hashesOf("sha512"),
    },
  };
}
