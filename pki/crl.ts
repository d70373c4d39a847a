import type { SerialNumber } from "../domain/ids.ts";
import type { RevocationReason } from "../domain/certificate/revocation.ts";
import {
  bitString,
  contextConstructed,
  header,
  oid,
  sequence,
  smallInteger,
  tag,
  time,
  tlv,
  unsignedInteger,
} from "./der.ts";
import { extension, type CrlSigner } from "./issuer.ts";
import { magnitudeToSerialNumber, serialNumberToMagnitude } from "./serial-number.ts";
import { X509Crl } from "./x509.ts";

export interface CrlEntry {
  serialNumber: SerialNumber;
  revokedAt: Date;
  /** Null if there is no reason; unspecified (0) is left out as well (RFC 5280 section 5.3.1). */
  reason: RevocationReason | null;
}

/** Encodes the elements of revokedCertificates (RFC 5280 section 5.1), one after another. */
export function encodeCrlEntries(entries: readonly CrlEntry[]): Buffer {
  const dates = new Map<number, Buffer>();
  const dateOf = (at: Date): Buffer => {
    const seconds = Math.floor(at.getTime() / 1000);
    let date = dates.get(seconds);
    if (date === undefined) dates.set(seconds, (date = time(at)));
    return date;
  };
  return Buffer.concat(
    entries.map(({ serialNumber, revokedAt, reason }) =>
      sequence(
        unsignedInteger(serialNumberToMagnitude(serialNumber)),
        dateOf(revokedAt),
        reason === null || reason === 0 ? nothing : reasonExtension(reason),
      ),
    ),
  );
}

const nothing = Buffer.alloc(0);

const reasonExtensions = new Map<RevocationReason, Buffer>();

/** Encodes the extensions of an entry: only its reason code. */
function reasonExtension(reason: RevocationReason): Buffer {
  let encoded = reasonExtensions.get(reason);
  if (encoded === undefined) {
    encoded = sequence(extension(oid("2.5.29.21"), false, Buffer.from([tag.enumerated, 1, reason])));
    reasonExtensions.set(reason, encoded);
  }
  return encoded;
}

/** Counts the entries that {@link encodeCrlEntries} wrote. Throws RangeError if an entry is incomplete. */
export function countCrlEntries(der: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < der.length; count++) {
    // An entry is shorter than 128 octets, because its serial number has at most 20.
    const length = der[at + 1] ?? 0x80;
    at += 2 + length;
    if (der[at - length - 2] !== tag.sequence || length >= 0x80 || at > der.length) {
      throw new RangeError("not whole entries of a CRL");
    }
  }
  return count;
}

/**
 * Returns the entries of a short CRL that {@link signCrl} wrote, with the dates as written. Throws if the CRL cannot be
 * read.
 */
export const readCrlEntries = (der: Uint8Array): CrlEntry[] =>
  new X509Crl(Buffer.from(der)).entries.map(({ serialNumber, revocationDate, reason }) => ({
    serialNumber: magnitudeToSerialNumber(Buffer.from(serialNumber, "hex")),
    revokedAt: revocationDate,
    reason: (reason ?? null) as RevocationReason | null,
  }));

export interface CrlRequest {
  number: bigint;
  /** Both times are written in whole seconds. */
  thisUpdate: Date;
  nextUpdate: Date;
  /** Entries as {@link encodeCrlEntries} writes them, in any number of pieces. */
  pieces: readonly Uint8Array[];
}

/** A CRL without its entries. Its DER is `head`, followed by the pieces it was signed with and `tail`. */
export interface SignedCrl {
  head: Buffer;
  tail: Buffer;
}

/** The octets after which {@link signCrl} lets other work run. Pieces are hashed whole, so a step can be longer. */
const stretch = 1 << 20;

/**
 * Signs a complete CRL of a CA (RFC 5280 section 5): version 2, with AuthorityKeyIdentifier and CRLNumber, and always
 * with nextUpdate. Calls `breathe` after each megabyte, so a long list does not hold up the thread's other work. Throws
 * RangeError for an invalid number or period.
 */
export async function signCrl(
  issuer: CrlSigner,
  { number, thisUpdate, nextUpdate, pieces }: CrlRequest,
  breathe: () => Promise<void>,
): Promise<SignedCrl> {
  if (number < 1n || !(nextUpdate.getTime() - thisUpdate.getTime() >= 1000)) throw new RangeError("not a CRL's period");
  const entriesLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const before = [
    smallInteger(1),
    issuer.encoded.signatureAlgorithm,
    issuer.subject,
    time(thisUpdate),
    time(nextUpdate),
    // The list is absent when it is empty (RFC 5280 section 5.1.2.6).
    entriesLength === 0 ? nothing : header(tag.sequence, entriesLength),
  ];
  const after = tlv(
    contextConstructed(0),
    sequence(issuer.encoded.authorityKeyIdentifier, extension(oid("2.5.29.20"), false, integer(number))),
  );
  const content = Buffer.concat(before);
  const toBeSignedHead = Buffer.concat([header(tag.sequence, content.length + entriesLength + after.length), content]);

  const signing = issuer.signer.signInParts();
  signing.update(toBeSignedHead);
  let hashed = 0;
  for (const piece of pieces) {
    signing.update(piece);
    hashed += piece.length;
    if (hashed >= stretch) {
      hashed = 0;
      await breathe();
    }
  }
  signing.update(after);

  const tail = Buffer.concat([after, issuer.encoded.signatureAlgorithm, bitString(await signing.finish())]);
  const outer = header(tag.sequence, toBeSignedHead.length + entriesLength + tail.length);
  return { head: Buffer.concat([outer, toBeSignedHead]), tail };
}

function integer(value: bigint): Buffer {
  const hex = value.toString(16);
  return unsignedInteger(Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex"));
}
