import * as crls from "../../../db/queries/certificates/crls.ts";
import type { Db } from "../../../db/client.ts";
import { openssl } from "./openssl.ts";

/** Returns an issuer's current CRL from the database, DER. */
export async function storedCrl(db: Db, issuerId: string): Promise<Buffer> {
  const stored = await crls.find(db, { issuerId, known: [] });
  if (stored === undefined) throw new Error(`issuer ${issuerId} has no CRL`);
  return Buffer.concat([
    stored.head,
    ...stored.pieces.map((id) => stored.unknown.get(id) ?? Buffer.alloc(0)),
    stored.tail,
  ]);
}

export interface ReadCrl {
  number: bigint;
  /** By serial number in decimal: the CRLReason as OpenSSL names it, or null. */
  entries: Map<string, string | null>;
}

/** Reads a CRL with OpenSSL. */
export function readCrl(der: Buffer): ReadCrl {
  const { stdout, stderr } = openssl(["crl", "-inform", "DER", "-in", "crl.der", "-noout", "-text"], {
    "crl.der": der,
  });
  if (stderr !== "") throw new Error(stderr);
  const entries = stdout
    .split("Serial Number: ")
    .slice(1)
    .map((entry): [string, string | null] => {
      const serial = BigInt(`0x${/^[0-9A-F]+/.exec(entry)?.[0] ?? ""}`).toString();
      return [serial, /CRL Reason Code: \n\s*(.+)/.exec(entry)?.[1] ?? null];
    });
  if (new Set(entries.map(([serial]) => serial)).size !== entries.length)
    throw new Error("a serial number is there twice");
  const number = /CRL Number: \n\s*(\S+)/.exec(stdout)?.[1] ?? "";
  return { number: BigInt(number), entries: new Map(entries) };
}

/** Returns OpenSSL's verdict on a CRL's signature: "verify OK". */
export const verifyCrl = (der: Buffer, caPem: string): string =>
  openssl(["crl", "-inform", "DER", "-in", "crl.der", "-noout", "-CAfile", "ca.pem", "-verify"], {
    "crl.der": der,
    "ca.pem": caPem,
  }).stderr.trim();
