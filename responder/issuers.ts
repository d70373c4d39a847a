import { hash } from "node:crypto";
import type { Database } from "../db/client.ts";
import * as ocsp from "../db/queries/certificates/ocsp.ts";
import { BoundedMap } from "../runtime/bounded-map.ts";
import type { Clock } from "../runtime/clock.ts";
import { children, contentOf, DerError, encodingOf, expectTag, readWhole } from "../pki/der-reader.ts";
import { contextConstructed, tag } from "../pki/der.ts";
import type { CertId, CertIdHash } from "./ocsp-request.ts";

/** An issuer with the data that a responder needs. */
export interface OcspIssuer {
  readonly issuerId: string;
  readonly notAfter: Date;
  /** The hashes of the issuer's name and key in a CertID, by algorithm. */
  readonly hashes: Readonly<Record<CertIdHash, { name: Buffer; key: Buffer }>>;
}

export interface OcspIssuers {
  /**
   * Returns the issuer; undefined if there is none with this id, or once it has expired: nothing that it signed is
   * valid afterwards.
   */
  find(issuerId: string): Promise<OcspIssuer | undefined>;
  /** Returns the unexpired issuers: first the CAs that currently issue, then the others, newest first. */
  listCurrent(limit: number): Promise<OcspIssuer[]>;
}

/** How long, and for how many ids, the absence of an issuer is remembered. */
const absentMs = 1_000;
const absentMax = 1_000;

/** Creates the access to issuers. `find` reads each issuer once, when it is first requested: issuers never change. */
export function createOcspIssuers({ db, clock }: { db: Pick<Database, "query">; clock: Clock }): OcspIssuers {
  const known = new Map<string, Promise<OcspIssuer | undefined>>();
  const absent = new BoundedMap<string, number>(absentMax);

  async function read(issuerId: string): Promise<OcspIssuer | undefined> {
    const [row] = await ocsp.findIssuer(db, issuerId);
    if (row !== undefined) return readOcspIssuer(row);
    known.delete(issuerId);
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

/** Reads an issuer; skips an unreadable issuer, because the responder must still serve the others. */
function readIfReadable(row: ocsp.OcspIssuer): OcspIssuer[] {
  try {
    return [readOcspIssuer(row)];
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}

/**
 * Reads an issuer from its row. Hashes its name as encoded in its certificate, and only the bits of its key (RFC 6960
 * section 4.1.1).
 */
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
