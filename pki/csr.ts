import { createPublicKey, verify, type KeyObject } from "node:crypto";
import { tag } from "./der.ts";
import { children, contentOf, encodingOf, expectTag, readWhole } from "./der-reader.ts";
import { bitsOf, publicKeyAlgorithm, publicKeyFault } from "./public-key.ts";
import { Pkcs10CertificateRequest } from "./x509.ts";

/** The longest certification request that is read, PEM, in characters. A request for RSA-4096 has about 1,700. */
export const csrLengthMax = 16 * 1024;

/** A certification request that cannot be used. The client that sent the request may see the message. */
export class CsrError extends Error {
  override readonly name = "CsrError";
}

/**
 * Returns the public key of a PKCS#10 certification request (RFC 2986) in PEM (RFC 7468 section 7). Ignores everything
 * else in the request.
 *
 * Guarantees: the request is signed with the private key that belongs to the public key (proof of possession), by ECDSA
 * or RSA PKCS#1 v1.5 with SHA-256, SHA-384 or SHA-512; the key is P-256, P-384 or RSA of 2048 to 4096 bits, in DER.
 * Throws CsrError with the reason for any other request, whatever the text contains.
 */
export function readCsr(pem: string): { publicKeySpki: Buffer } {
  const der = decodePem(pem);
  const { toBeSigned, publicKeySpki, algorithm, signature } = takeApart(der);
  const keyAlgorithm = publicKeyAlgorithm(publicKeySpki);
  if (keyAlgorithm === null) throw new CsrError(publicKeyFault(publicKeySpki));

  const accepted = signatureHashes[keyAlgorithm === "rsa" ? "rsa" : "ec"];
  const hash = accepted[algorithm];
  if (hash === undefined) {
    const given = refusedSignatures[algorithm] ?? "an algorithm that is not supported for its key";
    throw new CsrError(
      `The request is signed with ${given}; sign it with ECDSA or RSA PKCS #1 v1.5 and SHA-256 or longer.`,
    );
  }
  const key = parseKey(publicKeySpki);
  if (!verify(hash, toBeSigned, key, signature)) {
    throw new CsrError("The certification request is not signed with the key it contains.");
  }
  // Uses OpenSSL's encoding, not the received encoding: each key must have exactly one form, or it could be certified
  // again.
  return { publicKeySpki: key.export({ format: "der", type: "spki" }) };
}

/** The hashes by the hexadecimal content of the signature algorithm's OBJECT IDENTIFIER. */
const signatureHashes: Record<"ec" | "rsa", Partial<Record<string, string>>> = {
  ec: { "2a8648ce3d040302": "sha256", "2a8648ce3d040303": "sha384", "2a8648ce3d040304": "sha512" },
  rsa: { "2a864886f70d01010b": "sha256", "2a864886f70d01010c": "sha384", "2a864886f70d01010d": "sha512" },
};

/**
 * The names of other algorithms that common tools sign with (RFC 8017 appendix A.2, RFC 3279 section 2.2, RFC 8410), by
 * the hexadecimal content of their OBJECT IDENTIFIERs.
 */
const refusedSignatures: Partial<Record<string, string>> = {
  "2a864886f70d010104": "MD5",
  "2a864886f70d010105": "SHA-1",
  "2a864886f70d01010a": "RSA-PSS",
  "2a864886f70d01010e": "SHA-224",
  "2a8648ce3d0401": "SHA-1",
  "2a8648ce3d040301": "SHA-224",
  "2b6570": "Ed25519",
  "2b6571": "Ed448",
};

const notPem = "A certification request is expected: PEM that begins with -----BEGIN CERTIFICATE REQUEST-----.";
const notPkcs10 = "The certification request is not PKCS #10.";

/**
 * Decodes exactly one block, whose lines may end and be indented as RFC 7468 section 3 allows (figure 1); skips text
 * that some tools write before the block. No pattern here can backtrack.
 */
function decodePem(pem: string): Buffer {
  if (pem.length > csrLengthMax) throw new CsrError("The certification request is larger than 16 kB.");
  const [, label, afterBegin] = /-----BEGIN ((?:NEW )?CERTIFICATE REQUEST)-----[ \t]*[\r\n]([^]*)/.exec(pem) ?? [];
  if (label === undefined || afterBegin === undefined) {
    const [, other] = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(pem) ?? [];
    if (other === undefined || other.endsWith("CERTIFICATE REQUEST")) throw new CsrError(notPem);
    throw new CsrError(`The PEM contains a ${other} instead of a CERTIFICATE REQUEST.`);
  }
  const end = afterBegin.indexOf(`-----END ${label}-----`);
  if (end === -1) throw new CsrError(`The certification request has no line -----END ${label}-----.`);
  if (afterBegin.includes("-----BEGIN ")) throw new CsrError("Only one certification request is expected.");
  const base64 = afterBegin.slice(0, end).replace(/\s/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) {
    throw new CsrError("The certification request is not base64 between its BEGIN and END lines.");
  }
  return Buffer.from(base64, "base64");
}

interface CsrParts {
  /** CertificationRequestInfo as received, because the signature covers these bytes. */
  toBeSigned: Buffer;
  publicKeySpki: Buffer;
  algorithm: string;
  signature: Buffer;
}

function takeApart(der: Buffer): CsrParts {
  try {
    new Pkcs10CertificateRequest(der);
    const [info, algorithm, signature, ...more] = children(readWhole(der, tag.sequence));
    if (more.length > 0) throw new RangeError("elements after the signature");
    const publicKey = children(expectTag(info, tag.sequence))[2];
    const identifier = children(expectTag(algorithm, tag.sequence))[0];
    return {
      toBeSigned: encodingOf(expectTag(info, tag.sequence)),
      publicKeySpki: encodingOf(expectTag(publicKey, tag.sequence)),
      algorithm: contentOf(expectTag(identifier, tag.oid)).toString("hex"),
      signature: bitsOf(expectTag(signature, tag.bitString)),
    };
  } catch (cause) {
    throw new CsrError(notPkcs10, { cause });
  }
}

/** Reads a public key. OpenSSL refuses a point that is not on its curve. */
function parseKey(publicKeySpki: Buffer): KeyObject {
  try {
    return createPublicKey({ key: publicKeySpki, format: "der", type: "spki" });
  } catch (cause) {
    throw new CsrError("The public key in the certification request is not valid.", { cause });
  }
}
