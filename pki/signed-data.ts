import { createPrivateKey, hash, sign, X509Certificate, type KeyObject } from "node:crypto";
import { contextConstructed, nullValue, octetString, oid, sequence, setOf, smallInteger, tag, tlv } from "./der.ts";
import { signatureAlgorithmFor, signatureAlgorithms } from "./algorithms.ts";
import { readChildren, readElement } from "./x509.ts";

/** A certificate and key that sign files. The key is not an issuer's. */
export interface FileSigner {
  /** The signer's own certificate first, then its chain, DER. */
  readonly certificates: readonly Buffer[];
  readonly key: KeyObject;
}

/**
 * Reads a signer from PEM. Throws if certificate or key cannot be read, the key's type is not supported, or certificate
 * and key do not belong together.
 */
export function readFileSigner({ certificate, key }: { certificate: string; key: string }): FileSigner {
  const blocks = certificate.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const certificates = blocks.map((block) => new X509Certificate(block));
  const [own] = certificates;
  const privateKey = createPrivateKey(key);
  signatureAlgorithmFor(privateKey);
  if (own === undefined) throw new TypeError("no certificate");
  if (!own.checkPrivateKey(privateKey)) throw new TypeError("the key is not the certificate's");
  return { certificates: certificates.map(({ raw }) => raw), key: privateKey };
}

const version1 = smallInteger(1);
const signedDataOid = oid("1.2.840.113549.1.7.2");
const dataOid = oid("1.2.840.113549.1.7.1");
const contentTypeOid = oid("1.2.840.113549.1.9.3");
const messageDigestOid = oid("1.2.840.113549.1.9.4");
const digestAlgorithms = {
  sha256: sequence(oid("2.16.840.1.101.3.4.2.1"), nullValue),
  sha384: sequence(oid("2.16.840.1.101.3.4.2.2"), nullValue),
} as const;
const implicit0 = contextConstructed(0);

/** Encodes CMS SignedData (RFC 5652 section 5) with the content inside, one signer, and its certificates. DER. */
export function signedData(content: Uint8Array, { certificates, key }: FileSigner): Buffer {
  const [own] = certificates;
  if (own === undefined) throw new TypeError("a signer without a certificate");
  const { hash: digest, identifier } = signatureAlgorithms[signatureAlgorithmFor(key)];
  const attributes = [
    sequence(contentTypeOid, setOf(dataOid)),
    sequence(messageDigestOid, setOf(octetString(hash(digest, content, "buffer")))),
  ];
  // Section 5.4: the signature covers the SET OF, although the file contains it under the implicit tag.
  const asSet = setOf(...attributes);
  const asWritten = Buffer.from(asSet);
  asWritten[0] = implicit0;

  const signerInfo = sequence(
    version1,
    issuerAndSerialNumber(own),
    digestAlgorithms[digest],
    asWritten,
    identifier,
    octetString(sign(digest, asSet, key)),
  );
  return sequence(
    signedDataOid,
    tlv(
      implicit0,
      sequence(
        version1,
        setOf(digestAlgorithms[digest]),
        sequence(dataOid, tlv(implicit0, octetString(content))),
        tlv(implicit0, ...[...certificates].sort((a, b) => Buffer.compare(a, b))),
        setOf(signerInfo),
      ),
    ),
  );
}

/** Encodes IssuerAndSerialNumber (section 10.2.4), both parts byte for byte as in the certificate. */
function issuerAndSerialNumber(certificate: Buffer): Buffer {
  const [toBeSigned] = readChildren(certificate, readElement(certificate));
  const fields = toBeSigned === undefined ? [] : readChildren(certificate, toBeSigned);
  const first = fields[0]?.tagOctet === tag.integer ? 0 : 1;
  const bytes = (index: number): Buffer => {
    const field = fields[index];
    if (field === undefined) throw new RangeError("not a certificate");
    return certificate.subarray(field.start, field.end);
  };
  return sequence(bytes(first + 2), bytes(first));
}
