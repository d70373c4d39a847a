import { randomBytes, webcrypto } from "node:crypto";
import {
  certificateValidity,
  organizationName,
  type NameConstraintsForm,
} from "../../domain/certificate/certificate-profile.ts";
import { decryptKey, encryptKey, type EncryptedKey, type KeyCost } from "./encrypted-key.ts";
import type { PublicationUrls } from "../../pki/issuer.ts";
import { encodeNameConstraints, nameConstraintsOid } from "../../pki/name-constraints.ts";
import { drawSerialNumber, serialNumberToMagnitude } from "../../pki/serial-number.ts";
import {
  AuthorityInfoAccessExtension,
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "../../pki/x509.ts";
import { CeremonyError } from "./ceremony-error.ts";

/** A CA's certificate, DER, and its private key under the operator's passphrase. */
export interface CertificateAuthority {
  certificate: Buffer;
  encryptedKey: EncryptedKey;
}

type Curve = "P-256" | "P-384";

export interface RootRequest {
  organization: string;
  at: Date;
  validityYears?: number;
  passphrase: string;
  /** Cost of deriving the key that encrypts the new key. */
  cost?: KeyCost | undefined;
  curve?: Curve;
}

/**
 * Makes a self-signed root (RFC 5280 section 3.2): CA:TRUE with path length 1, keyCertSign and cRLSign, both critical.
 * Its name is unique. The root has no name constraints, because it must survive changes of domains: a new root has to
 * reach every device.
 */
export async function createRoot(request: RootRequest): Promise<CertificateAuthority> {
  const { organization, at, validityYears = certificateValidity.rootYears, curve = "P-384" } = request;
  const keys = await generateKeys(curve);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumberHex(),
    name: distinctName(organization, "Root CA"),
    ...validity(at, validityYears),
    signingAlgorithm: { name: "ECDSA", hash: hashOf[curve] },
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 1, true),
      caKeyUsage(),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return keep(certificate, keys, request);
}

export interface IssuingCaRequest {
  root: CertificateAuthority;
  organization: string;
  at: Date;
  validityYears?: number;
  nameConstraints: {
    form: NameConstraintsForm;
    /** The domains of permitted DNS names, in lower case. */
    domains: readonly string[];
  };
  /** The passphrase of the new key. */
  passphrase: string;
  /** The passphrase of the root's key; several, one per line. Omitted: the same as for the new key. */
  rootPassphrase?: string;
  /** Cost of deriving the key that encrypts the new key. */
  cost?: KeyCost | undefined;
  /** Where the root's own CRL, OCSP responder and certificate are published, if anywhere. */
  rootUrls?: Partial<PublicationUrls>;
}

/**
 * Makes an issuing CA on P-256 under a root: CA:TRUE with path length 0, keyCertSign and cRLSign, both critical; the
 * purposes and names that its certificates may have (RFC 5280 sections 4.2.1.10 and 4.2.1.12). Its name is unique.
 * Throws CeremonyError for an invalid request, for example if the CA would outlive the root, and EncryptedKeyError if
 * the root's key does not open.
 */
export async function createIssuingCa(request: IssuingCaRequest): Promise<CertificateAuthority> {
  const { root, organization, at, validityYears = certificateValidity.issuingYears } = request;
  const rootCertificate = new X509Certificate(root.certificate);
  const period = validity(at, validityYears);
  if (period.notAfter > rootCertificate.notAfter || period.notBefore < rootCertificate.notBefore) {
    throw new CeremonyError("the issuing CA would not lie within the validity of its root");
  }
  const rootCurve = curveOf(rootCertificate);
  const keys = await generateKeys("P-256");
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumberHex(),
    subject: distinctName(organization, "Issuing CA"),
    issuer: rootCertificate.subjectName,
    ...period,
    publicKey: keys.publicKey,
    signingKey: await importSigningKey(root.encryptedKey, request.rootPassphrase ?? request.passphrase, rootCurve),
    signingAlgorithm: { name: "ECDSA", hash: hashOf[rootCurve] },
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      caKeyUsage(),
      new ExtendedKeyUsageExtension(purposes, false),
      ...namesOf(request.nameConstraints),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(rootCertificate.publicKey),
      ...publication(request.rootUrls ?? {}),
    ],
  });
  return keep(certificate, keys, request);
}

const hashOf = { "P-256": "SHA-256", "P-384": "SHA-384" } as const satisfies Record<Curve, string>;

const generateKeys = (namedCurve: Curve): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve }, true, ["sign", "verify"]);

const caKeyUsage = () => new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true);

/**
 * Permitted purposes of an issuing CA's certificates. OCSPSigning is included because verifiers that nest purposes
 * would otherwise refuse the issuing CA's OCSP responders. It cannot be misused for the root, which publishes no OCSP.
 */
const purposes = [
  "1.3.6.1.5.5.7.3.2", // clientAuth
  "1.3.6.1.5.5.7.3.1", // serverAuth
  "1.3.6.1.5.5.7.3.14", // eapOverLAN, RFC 4334
  "1.3.6.1.5.5.7.3.9", // OCSPSigning
];

/** rfc822Name stays unconstrained: the danger is in hosts, and wolfSSL 5.5.4 refuses devices under such a constraint. */
function namesOf({ form, domains }: IssuingCaRequest["nameConstraints"]): Extension[] {
  if (form === "none") return [];
  return [new Extension(nameConstraintsOid, form === "critical", encodeNameConstraints(domains))];
}

const serialNumberHex = (): string => serialNumberToMagnitude(drawSerialNumber()).toString("hex");

/** "Example Issuing CA 4f1d09b2": the random suffix distinguishes a realm's next CA by name. */
function distinctName(organization: string, role: "Root CA" | "Issuing CA"): Name {
  const suffix = ` ${role} ${randomBytes(4).toString("hex")}`;
  const name = organizationName(organization);
  if (name === "") throw new CeremonyError("a CA needs the name of its organization");
  const commonName =
    Array.from(name)
      .slice(0, 64 - suffix.length)
      .join("")
      .trim() + suffix;
  return new Name([{ CN: [{ utf8String: commonName }] }, { O: [{ utf8String: name }] }]);
}

function validity(at: Date, years: number): { notBefore: Date; notAfter: Date } {
  if (!Number.isInteger(years) || years < 1 || years > 50) throw new CeremonyError("a CA is valid for 1 to 50 years");
  const seconds = Math.floor(at.getTime() / 1000);
  const notAfter = new Date(seconds * 1000);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + years);
  return { notBefore: new Date((seconds - certificateValidity.issuerBackdateSeconds) * 1000), notAfter };
}

function curveOf(certificate: X509Certificate): Curve {
  const { namedCurve } = certificate.publicKey.algorithm as { namedCurve?: string };
  if (namedCurve !== "P-256" && namedCurve !== "P-384")
    throw new CeremonyError("the root's key must be P-256 or P-384");
  return namedCurve;
}

async function importSigningKey(record: EncryptedKey, passphrase: string, namedCurve: Curve) {
  const privateKeyPkcs8 = await decryptKey(record, passphrase);
  try {
    return await webcrypto.subtle.importKey("pkcs8", privateKeyPkcs8, { name: "ECDSA", namedCurve }, false, ["sign"]);
  } finally {
    privateKeyPkcs8.fill(0);
  }
}

function publication({ crl, ocsp, caIssuers }: Partial<PublicationUrls>) {
  return [
    ...(crl === undefined ? [] : [new CRLDistributionPointsExtension([crl])]),
    ...(ocsp === undefined && caIssuers === undefined
      ? []
      : [new AuthorityInfoAccessExtension({ ...(ocsp && { ocsp }), ...(caIssuers && { caIssuers }) })]),
  ];
}

async function keep(
  certificate: X509Certificate,
  keys: webcrypto.CryptoKeyPair,
  { passphrase, cost }: Pick<RootRequest, "passphrase" | "cost">,
): Promise<CertificateAuthority> {
  const privateKeyPkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  try {
    return {
      certificate: Buffer.from(certificate.rawData),
      encryptedKey: await encryptKey(privateKeyPkcs8, passphrase, { cost }),
    };
  } finally {
    privateKeyPkcs8.fill(0);
  }
}
