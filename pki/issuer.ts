import { X509Certificate as NodeCertificate } from "node:crypto";
import type { IssuerID } from "../domain/ids.ts";
import { context, contextConstructed, octetString, oid, sequence, tlv, trueValue } from "./der.ts";
import { signatureAlgorithmFor, signatureAlgorithms } from "./algorithms.ts";
import { readNameConstraints } from "./name-constraints.ts";
import type { Signer } from "./signer.ts";
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  readChildren,
  readElement,
  SubjectKeyIdentifierExtension,
  X509Certificate,
} from "./x509.ts";

/** URLs of an issuer's CRL, OCSP responder and certificate: plain `http`, because https would itself need them. */
export interface PublicationUrls {
  crl: string;
  ocsp: string;
  caIssuers: string;
}

/** The parts of a CA that sign its CRLs. */
export interface CrlSigner {
  readonly signer: Signer;
  /** The subject Name, byte for byte as in the CA's certificate. */
  readonly subject: Buffer;
  /** The parts that all signatures of the CA share, in DER, encoded once. */
  readonly encoded: {
    readonly signatureAlgorithm: Buffer;
    readonly authorityKeyIdentifier: Buffer;
  };
}

/** An issuing CA ready to sign: its certificate, its chain, its signer, and the constant parts of its certificates. */
export interface Issuer extends CrlSigner {
  readonly issuerId: IssuerID;
  readonly certificate: Buffer;
  /**
   * Sent with a leaf: the issuer's own certificate first, then any certificates between it and the root; never the
   * root.
   */
  readonly chain: readonly Buffer[];
  readonly urls: PublicationUrls;
  readonly subjectKeyIdentifier: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The domains that the issuer's certificate permits for DNS names; null: no name constraints. */
  readonly permittedDomains: readonly string[] | null;
  readonly encoded: CrlSigner["encoded"] & {
    /** The encoded CRLDistributionPoints and AuthorityInformationAccess. */
    readonly publication: Buffer;
  };
}

export interface IssuerFiles {
  issuerId: IssuerID;
  certificate: Uint8Array;
  /** Like `Issuer.chain`; begins with `certificate`. */
  chain: readonly Uint8Array[];
  signer: Signer;
  urls: PublicationUrls;
}

/**
 * The issuer, or the signer of a root's CRLs, does not pass the checks of {@link loadIssuer} or {@link loadCrlSigner}.
 */
export class IssuerError extends Error {
  override readonly name = "IssuerError";
}

/**
 * Assembles an issuer and cross-checks it: the certificate is a CA's (RFC 5280 sections 4.2.1.3 and 4.2.1.9) with a key
 * identifier, the signer's key is the certificate's, the chain begins with the certificate, each certificate in it
 * signed the one before, no certificate in it is a root, and the URLs are absolute `http`. Throws IssuerError. Does not
 * check whether the certificate has expired.
 */
export function loadIssuer({ issuerId, certificate, chain, signer, urls }: IssuerFiles): Issuer {
  const der = Buffer.from(certificate);
  const fail = (reason: string) => new IssuerError(`issuer ${issuerId}: ${reason}`);
  const { parsed, subjectKeyIdentifier, ...ca } = readCa(der, signer, fail);
  if (!allows(parsed, KeyUsageFlags.keyCertSign)) throw fail("its certificate may not sign certificates");
  checkChain(der, chain, fail);
  for (const url of Object.values(urls) as string[]) {
    if (!isHttpUrl(url)) throw fail("its publication URLs must be absolute http URLs");
  }

  return {
    ...ca,
    issuerId,
    certificate: der,
    chain: chain.map((each) => Buffer.from(each)),
    urls: { ...urls },
    subjectKeyIdentifier,
    notBefore: parsed.notBefore,
    notAfter: parsed.notAfter,
    permittedDomains: readNameConstraints(der)?.permittedDomains ?? null,
    encoded: {
      ...ca.encoded,
      publication: Buffer.concat([crlDistributionPoints(urls), authorityInformationAccess(urls)]),
    },
  };
}

/**
 * Assembles and cross-checks the signer of a root's CRLs: the certificate belongs to a CA that may sign CRLs (RFC 5280
 * section 4.2.1.3), has a key identifier, and contains the signer's key. Throws IssuerError.
 */
export function loadCrlSigner({ certificate, signer }: { certificate: Uint8Array; signer: Signer }): CrlSigner {
  const fail = (reason: string) => new IssuerError(`root: ${reason}`);
  const { subject, encoded, parsed } = readCa(Buffer.from(certificate), signer, fail);
  if (!allows(parsed, KeyUsageFlags.cRLSign)) throw fail("its certificate may not sign CRLs");
  return { signer, subject, encoded };
}

function readCa(der: Buffer, signer: Signer, fail: Fail) {
  const parsed = parse(der, fail);
  const keyId = parsed.getExtension(SubjectKeyIdentifierExtension)?.keyId;
  if (parsed.getExtension(BasicConstraintsExtension)?.ca !== true) throw fail("its certificate is not a CA's");
  if (keyId === undefined) throw fail("its certificate has no subject key identifier");
  const { publicKey } = new NodeCertificate(der);
  if (!publicKey.export({ format: "der", type: "spki" }).equals(signer.publicKeySpki)) {
    throw fail("its key does not match its certificate");
  }
  if (signer.algorithm !== signatureAlgorithmFor(publicKey)) throw fail("its signer uses another algorithm");
  const subjectKeyIdentifier = Buffer.from(keyId, "hex");
  return {
    parsed,
    signer,
    subjectKeyIdentifier,
    subject: subjectOf(der),
    encoded: {
      signatureAlgorithm: signatureAlgorithms[signer.algorithm].identifier,
      authorityKeyIdentifier: extension(oid("2.5.29.35"), false, sequence(tlv(context(0), subjectKeyIdentifier))),
    },
  };
}

/** Whether this is an absolute `http` URL in printable ASCII (RFC 5280 section 4.2.1.6: an IA5String, RFC 3986 syntax). */
export function isHttpUrl(url: string): boolean {
  return /^http:\/\/[!-~]+$/.test(url) && URL.canParse(url);
}

/** Encodes an Extension (RFC 5280 section 4.1). `oidDer` is the encoded identifier, `value` the DER for extnValue. */
export function extension(oidDer: Uint8Array, critical: boolean, value: Uint8Array): Buffer {
  return critical ? sequence(oidDer, trueValue, octetString(value)) : sequence(oidDer, octetString(value));
}

const uri = (url: string): Buffer => tlv(context(6), Buffer.from(url, "latin1"));

/** Encodes CRLDistributionPoints (RFC 5280 section 4.2.1.13) with one DistributionPoint, named by its URL. */
function crlDistributionPoints({ crl }: PublicationUrls): Buffer {
  const fullName = tlv(contextConstructed(0), uri(crl));
  return extension(oid("2.5.29.31"), false, sequence(sequence(tlv(contextConstructed(0), fullName))));
}

/** Encodes AuthorityInformationAccess (RFC 5280 section 4.2.2.1). */
function authorityInformationAccess({ ocsp, caIssuers }: PublicationUrls): Buffer {
  const access = [sequence(oid("1.3.6.1.5.5.7.48.1"), uri(ocsp)), sequence(oid("1.3.6.1.5.5.7.48.2"), uri(caIssuers))];
  return extension(oid("1.3.6.1.5.5.7.1.1"), false, sequence(...access));
}

type Fail = (reason: string) => IssuerError;

function parse(der: Buffer, fail: Fail): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (cause) {
    throw Object.assign(fail("its certificate cannot be read"), { cause });
  }
}

function allows(certificate: X509Certificate, flag: KeyUsageFlags): boolean {
  return ((certificate.getExtension(KeyUsagesExtension)?.usages ?? 0) & flag) !== 0;
}

function checkChain(certificate: Buffer, chain: readonly Uint8Array[], fail: Fail): void {
  if (chain[0] === undefined || !certificate.equals(chain[0])) throw fail("its chain must begin with its certificate");
  const links = chain.map((der) => new NodeCertificate(der));
  links.forEach((link, index) => {
    if (link.verify(link.publicKey)) throw fail("its chain must not hold a root");
    const above = links[index + 1];
    if (above !== undefined && !link.verify(above.publicKey)) throw fail("its chain is not in order");
  });
}

/** Returns the subject's bytes unchanged: a Name that is decoded and encoded again may differ and break the chain. */
function subjectOf(certificate: Buffer): Buffer {
  const [toBeSigned] = readChildren(certificate, readElement(certificate));
  const subject = toBeSigned && readChildren(certificate, toBeSigned)[5];
  if (subject === undefined) throw new RangeError("not a version 3 certificate");
  return Buffer.from(certificate.subarray(subject.start, subject.end));
}
