import { contextConstructed, oid, tag } from "../pki/der.ts";
import {
  children,
  contentOf,
  DerError,
  encodingOf,
  expectTag,
  onlyChild,
  readWhole,
  type Der,
} from "../pki/der-reader.ts";

/** The longest request that is read: room for {@link certIdsMax} CertIDs with a long nonce. */
export const requestBytesMax = 4_096;

/** The most certificates that one request may ask about. */
export const certIdsMax = 32;

/** The longest nonce in octets (RFC 9654 section 2.1). */
const nonceOctetsMax = 128;

const extensionsMax = 16;

export type CertIdHash = "sha1" | "sha256" | "sha384" | "sha512";

/** Identifies one certificate in a request (RFC 6960 section 4.1.1). */
export interface CertId {
  /** As sent, DER: the answer repeats it. */
  readonly der: Buffer;
  /** Null for an unsupported algorithm. */
  readonly hash: CertIdHash | null;
  readonly issuerNameHash: Buffer;
  readonly issuerKeyHash: Buffer;
  /** In decimal; null for a number that no certificate can have: zero, negative, or longer than 20 octets. */
  readonly serialNumber: string | null;
}

export interface OcspRequest {
  readonly certIds: readonly CertId[];
  /** The extension's value, as sent: the answer repeats it. */
  readonly nonce: Buffer | null;
}

/**
 * Reads an OCSPRequest (RFC 6960 section 4.1.1); returns undefined for other bytes, a request beyond a limit of this
 * file, or an unknown critical extension. Ignores other unknown extensions, and a signature, because every client may
 * ask.
 */
export function readOcspRequest(bytes: Buffer): OcspRequest | undefined {
  if (bytes.length > requestBytesMax) return undefined;
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function read(bytes: Buffer): OcspRequest {
  const [toBeSigned, signature, ...rest] = children(readWhole(bytes, tag.sequence), 2);
  if (rest.length > 0) throw new DerError("more than a request");
  if (signature !== undefined) onlyChild(expectTag(signature, contextConstructed(0)), tag.sequence);

  const fields = children(expectTag(toBeSigned, tag.sequence), 4);
  const version = take(fields, contextConstructed(0));
  if (version !== undefined && !contentOf(onlyChild(version, tag.integer)).equals(version1)) {
    throw new DerError("another version");
  }
  const requestorName = take(fields, contextConstructed(1));
  if (requestorName !== undefined && children(requestorName, 1).length !== 1) throw new DerError("not a name");
  const list = expectTag(fields.shift(), tag.sequence);
  const extensions = take(fields, contextConstructed(2));
  if (fields.length > 0) throw new DerError("an unknown field");

  const certIds = children(list, certIdsMax).map(readRequest);
  if (certIds.length === 0) throw new DerError("nothing is asked");
  return { certIds, nonce: extensions === undefined ? null : readExtensions(extensions, requestExtensions) };
}

/** Removes and returns the next field if it has this tag. */
function take(fields: Der[], tagOctet: number): Der | undefined {
  return fields[0]?.tagOctet === tagOctet ? fields.shift() : undefined;
}

function readRequest(request: Der): CertId {
  const fields = children(expectTag(request, tag.sequence), 2);
  const certId = expectTag(fields.shift(), tag.sequence);
  const extensions = take(fields, contextConstructed(0));
  if (fields.length > 0) throw new DerError("an unknown field");
  if (extensions !== undefined) readExtensions(extensions, singleRequestExtensions);

  const [algorithm, issuerNameHash, issuerKeyHash, serialNumber, ...rest] = children(certId, 4);
  if (rest.length > 0) throw new DerError("an unknown field");
  return {
    der: encodingOf(certId),
    hash: readHashAlgorithm(expectTag(algorithm, tag.sequence)),
    issuerNameHash: contentOf(expectTag(issuerNameHash, tag.octetString)),
    issuerKeyHash: contentOf(expectTag(issuerKeyHash, tag.octetString)),
    serialNumber: readSerialNumber(expectTag(serialNumber, tag.integer)),
  };
}

/**
 * Returns the hash algorithm; null if it is not supported. Its parameters must be absent or NULL (RFC 5754 section 2).
 */
function readHashAlgorithm(algorithm: Der): CertIdHash | null {
  const [identifier, parameters] = children(algorithm, 2);
  if (parameters !== undefined && contentOf(expectTag(parameters, tag.null)).length > 0) throw new DerError("not NULL");
  const name = encodingOf(expectTag(identifier, tag.oid)).toString("hex");
  return hashes.get(name) ?? null;
}

const hashes = new Map<string, CertIdHash>([
  [oid("1.3.14.3.2.26").toString("hex"), "sha1"],
  [oid("2.16.840.1.101.3.4.2.1").toString("hex"), "sha256"],
  [oid("2.16.840.1.101.3.4.2.2").toString("hex"), "sha384"],
  [oid("2.16.840.1.101.3.4.2.3").toString("hex"), "sha512"],
]);

const version1 = Buffer.from([0]);

function readSerialNumber(integer: Der): string | null {
  const content = contentOf(integer);
  const [first, second = 0] = content;
  if (first === undefined) throw new DerError("an empty INTEGER");
  if (content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) {
    throw new DerError("not the shortest INTEGER");
  }
  const magnitude = first === 0 ? content.subarray(1) : content;
  if (first >= 0x80 || magnitude.length === 0 || magnitude.length > 20) return null;
  const decimal = BigInt(`0x${magnitude.toString("hex")}`).toString();
  return decimal.length > 48 ? null : decimal;
}

/** Reads Extensions (RFC 5280 section 4.1). Returns the nonce if a nonce is allowed here and present. */
function readExtensions(tagged: Der, known: ReadonlySet<string>): Buffer | null {
  const extensions = children(onlyChild(tagged, tag.sequence), extensionsMax);
  if (extensions.length === 0) throw new DerError("no extension");
  let nonce: Buffer | null = null;
  for (const extension of extensions) {
    const fields = children(expectTag(extension, tag.sequence), 3);
    const name = encodingOf(expectTag(fields.shift(), tag.oid)).toString("hex");
    const critical = take(fields, tag.boolean);
    if (critical !== undefined && !contentOf(critical).equals(trueOctet)) throw new DerError("not TRUE");
    const value = contentOf(expectTag(fields.shift(), tag.octetString));
    if (fields.length > 0) throw new DerError("an unknown field");
    if (critical !== undefined && !known.has(name)) throw new DerError("a critical extension that is not understood");
    if (name !== nonceName || known !== requestExtensions) continue;
    if (nonce !== null) throw new DerError("two nonces");
    const octets = octetsOfNonce(value);
    if (octets === 0 || octets > nonceOctetsMax) throw new DerError("not the length of a nonce");
    nonce = value;
  }
  return nonce;
}

/** Returns the number of octets of a nonce. RFC 2560 clients put the octets into the extension without a type. */
function octetsOfNonce(value: Buffer): number {
  try {
    return contentOf(readWhole(value, tag.octetString)).length;
  } catch (error) {
    if (error instanceof DerError) return value.length;
    throw error;
  }
}

const trueOctet = Buffer.from([0xff]);

const nonceName = oid("1.3.6.1.5.5.7.48.1.2").toString("hex");

/**
 * Nonce, acceptable response types (every client accepts the basic type), preferred signature algorithms (only a
 * preference).
 */
const requestExtensions: ReadonlySet<string> = new Set(
  ["1.3.6.1.5.5.7.48.1.2", "1.3.6.1.5.5.7.48.1.4", "1.3.6.1.5.5.7.48.1.8"].map((name) => oid(name).toString("hex")),
);

/**
 * Service locator: where to forward the request. Nothing is forwarded: a client at the wrong responder gets
 * "unauthorized".
 */
const singleRequestExtensions: ReadonlySet<string> = new Set([oid("1.3.6.1.5.5.7.48.1.7").toString("hex")]);
