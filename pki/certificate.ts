import { hash } from "node:crypto";
import {
  certificateProfile,
  keyUsages,
  organizationName,
  type CertificateKind,
  type ExtendedKeyUsage,
  type KeyUsage,
} from "../domain/certificate/certificate-profile.ts";
import type { SerialNumber } from "../domain/ids.ts";
import {
  bitString,
  context,
  contextConstructed,
  octetString,
  oid,
  sequence,
  setOf,
  smallInteger,
  tag,
  time,
  tlv,
  unsignedInteger,
  utf8String,
} from "./der.ts";
import { extension, type Issuer } from "./issuer.ts";
import { serialNumberToMagnitude } from "./serial-number.ts";
import { readChildren, readElement } from "./x509.ts";

/** The only name in SubjectAltName (RFC 5280 section 4.2.1.6). */
export type SubjectAltName = { rfc822Name: string } | { dnsName: string };

/** The contents of a certificate as data: `lint` checks the draft and `encodeToBeSigned` encodes it. */
export interface CertificateDraft {
  readonly issuer: Issuer;
  readonly kind: CertificateKind;
  /** The certificate's realm, which limits the names. The realm is not a field of the certificate. */
  readonly realm: { readonly domain: string; readonly infrastructureDomains: readonly string[] };
  readonly serialNumber: SerialNumber;
  readonly subject: { readonly commonName: string; readonly organization: string };
  readonly subjectAltName: SubjectAltName;
  /** notBefore and notAfter are in whole seconds, as in the certificate. */
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKeySpki: Uint8Array;
  readonly keyUsages: readonly KeyUsage[];
  readonly extendedKeyUsages: readonly ExtendedKeyUsage[];
}

export interface CertificateRequest {
  issuer: Issuer;
  kind: CertificateKind;
  serialNumber: SerialNumber;
  identity: string;
  /** The realm's display name. */
  organization: string;
  realmDomain: string;
  /** Domains that the realm permits in DNS names, in addition to its own. */
  infrastructureDomains: readonly string[];
  /** The name of an infrastructure profile if it is a DNS name; ignored for other kinds. */
  dnsName: string | null;
  notBefore: Date;
  notAfter: Date;
  publicKeySpki: Uint8Array;
  keyIsRsa: boolean;
}

/** Returns the draft of a certificate of the request's kind. Checks nothing: `lint` checks the draft before signing. */
export function draftCertificate(request: CertificateRequest): CertificateDraft {
  const { kind, identity, dnsName } = request;
  const { extendedKeyUsages, namedBy } = certificateProfile[kind];
  const named = namedBy === "dnsNameOrIdentity" && dnsName !== null ? dnsName : null;
  return {
    issuer: request.issuer,
    kind,
    realm: { domain: request.realmDomain, infrastructureDomains: request.infrastructureDomains },
    serialNumber: request.serialNumber,
    subject: { commonName: named ?? identity, organization: organizationName(request.organization) },
    subjectAltName: named === null ? { rfc822Name: identity } : { dnsName: named },
    notBefore: wholeSeconds(request.notBefore),
    notAfter: wholeSeconds(request.notAfter),
    publicKeySpki: request.publicKeySpki,
    keyUsages: request.keyIsRsa ? keyUsages.rsa : keyUsages.ec,
    extendedKeyUsages,
  };
}

const wholeSeconds = (at: Date): Date => new Date(Math.floor(at.getTime() / 1000) * 1000);

/** Encodes the TBSCertificate of a draft (RFC 5280 section 4.1), DER: the issuer's signer signs it. */
export function encodeToBeSigned(draft: CertificateDraft): Buffer {
  const { issuer } = draft;
  return sequence(
    version3,
    unsignedInteger(serialNumberToMagnitude(draft.serialNumber)),
    issuer.encoded.signatureAlgorithm,
    issuer.subject,
    sequence(time(draft.notBefore), time(draft.notAfter)),
    sequence(
      setOf(sequence(oids.commonName, utf8String(draft.subject.commonName))),
      setOf(sequence(oids.organizationName, utf8String(draft.subject.organization))),
    ),
    draft.publicKeySpki,
    tlv(
      contextConstructed(3),
      sequence(
        notCa,
        extension(oids.keyUsage, true, encodeKeyUsages(draft.keyUsages)),
        extension(oids.extendedKeyUsage, false, sequence(...draft.extendedKeyUsages.map((usage) => purposes[usage]))),
        extension(oids.subjectKeyIdentifier, false, octetString(subjectKeyIdentifier(draft.publicKeySpki))),
        issuer.encoded.authorityKeyIdentifier,
        extension(oids.subjectAltName, false, sequence(encodeSubjectAltName(draft.subjectAltName))),
        issuer.encoded.publication,
      ),
    ),
  );
}

/**
 * Encodes the Certificate (RFC 5280 section 4.1), DER. Reads the algorithm back from `toBeSigned`, so both fields
 * contain the same algorithm.
 */
export function assembleCertificate(toBeSigned: Uint8Array, signature: Uint8Array): Buffer {
  const algorithm = readChildren(toBeSigned, readElement(toBeSigned))[2];
  if (algorithm === undefined) throw new RangeError("not a TBSCertificate");
  return sequence(toBeSigned, toBeSigned.subarray(algorithm.start, algorithm.end), bitString(signature));
}

/** Returns the key identifier of a public key: SHA-1 of its BIT STRING's content (RFC 5280 section 4.2.1.2, method 1). */
export function subjectKeyIdentifier(publicKeySpki: Uint8Array): Buffer {
  const key = readChildren(publicKeySpki, readElement(publicKeySpki))[1];
  if (key?.tagOctet !== tag.bitString) throw new RangeError("not a SubjectPublicKeyInfo");
  return hash("sha1", publicKeySpki.subarray(key.contentStart + 1, key.end), "buffer");
}

const oids = {
  commonName: oid("2.5.4.3"),
  organizationName: oid("2.5.4.10"),
  keyUsage: oid("2.5.29.15"),
  extendedKeyUsage: oid("2.5.29.37"),
  subjectKeyIdentifier: oid("2.5.29.14"),
  subjectAltName: oid("2.5.29.17"),
};

const purposes = {
  clientAuth: oid("1.3.6.1.5.5.7.3.2"),
  serverAuth: oid("1.3.6.1.5.5.7.3.1"),
} as const satisfies Record<ExtendedKeyUsage, Buffer>;

const version3 = tlv(contextConstructed(0), smallInteger(2));

/** CA:FALSE is the default value and therefore absent in DER (X.690 section 11.5). */
const notCa = extension(oid("2.5.29.19"), true, sequence());

/**
 * Encodes KeyUsage. digitalSignature is bit 0, the most significant, and keyEncipherment is bit 2 (X.690 section 11.2.2
 * trims zeros).
 */
function encodeKeyUsages(usages: readonly KeyUsage[]): Buffer {
  return usages.includes("keyEncipherment")
    ? Buffer.from([tag.bitString, 2, 5, usages.includes("digitalSignature") ? 0xa0 : 0x20])
    : Buffer.from([tag.bitString, 2, 7, 0x80]);
}

function encodeSubjectAltName(name: SubjectAltName): Buffer {
  return "rfc822Name" in name
    ? tlv(context(1), Buffer.from(name.rfc822Name, "latin1"))
    : tlv(context(2), Buffer.from(name.dnsName, "latin1"));
}
