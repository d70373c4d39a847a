import type { CertificateFormat } from "../../domain/certificate/format.ts";
import type { CertificateKind } from "../../domain/certificate/certificate-profile.ts";
import type { DeviceType, KeyType } from "../../domain/certificate/device.ts";
import type { IssuanceID, IssuerID, SerialNumber } from "../../domain/ids.ts";
import type { NetworkSettings } from "../issuance/device-files/device-file-content.ts";
import type { CrlRequest } from "../../pki/crl.ts";
import type { PublicationUrls } from "../../pki/issuer.ts";
import type { WrappedDataKey } from "./output-sealer.ts";

/** Messages between the process and its signing threads. Everything here survives a structured clone. */

/**
 * An issuer as stored in the database: all that a thread needs to sign for it, in addition to the passphrase that it
 * already has.
 */
export interface IssuerMaterial {
  issuerId: IssuerID;
  certificate: Uint8Array;
  /** `certificate` first, then any certificate between it and the root; never the root. */
  chain: readonly Uint8Array[];
  /** The key as stored; only signing threads open it. */
  encryptedKey: unknown;
  urls: PublicationUrls;
}

/**
 * One certificate to make. Nothing in it comes from a queue: a ready key comes from the key pool, everything else from
 * the database.
 */
export interface SigningRequest {
  issuanceId: IssuanceID;
  issuerId: IssuerID;
  kind: CertificateKind;
  serialNumber: SerialNumber;
  identity: string;
  /** The realm's display name. */
  organization: string;
  realmDomain: string;
  /** Domains that the realm permits in DNS names, in addition to its own. */
  infrastructureDomains: readonly string[];
  dnsName: string | null;
  /** The name that the device shows for the certificate. */
  friendlyName: string;
  notBefore: Date;
  notAfter: Date;
  keyType: KeyType;
  /** A PEM PKCS#10 request whose key is to be certified; no key is made for it. */
  csr: string | null;
  /**
   * A ready key to use instead of making one. The pool owns the key: it wipes this copy after passing the key on, and
   * never uses the key twice.
   */
  keyPair?: { privateKeyPkcs8: Uint8Array; publicKeySpki: Uint8Array };
  format: CertificateFormat;
  deviceType: DeviceType | null;
  /** Given for formats that are device files. */
  network?: NetworkSettings;
}

/**
 * `invalid_csr`, `lint_failed`, `name_not_permitted` and `issuer_expiring` are final: the same request fails again. After
 * `issuer_not_loaded` and `signing_failed` a later attempt may succeed.
 */
export type SigningFailureCode =
  "invalid_csr" | "lint_failed" | "name_not_permitted" | "issuer_expiring" | "issuer_not_loaded" | "signing_failed";

export interface SignedRequest {
  issuanceId: IssuanceID;
  certificate: Uint8Array;
  /** SHA-256 of the certificate's SubjectPublicKeyInfo. */
  spkiSha256: Uint8Array;
  /** CreationOutput as JSON, sealed under the data key and bound to the issuance id. */
  sealed: Uint8Array;
  dataKeyId: string;
}

export interface FailedRequest {
  issuanceId: IssuanceID;
  /** `detail` of `invalid_csr` is shown to the requester; other details are for the operator. */
  failure: { code: SigningFailureCode; detail: string };
}

export type SigningResult = SignedRequest | FailedRequest;

export interface IssueBatchResult {
  /** The data keys that seal the batch. They may seal earlier and later batches as well. */
  dataKeys: WrappedDataKey[];
  /** One result for each request, in the same order. */
  results: SigningResult[];
}

/** A CRL to sign: its contents, in addition to what the thread knows about its issuer. */
export interface CrlSigningRequest extends CrlRequest {
  issuerId: IssuerID;
  /** In shared memory, so a long list is not copied for the thread. */
  pieces: readonly Uint8Array<SharedArrayBuffer>[];
}

/** See SignedCrl. */
export interface CrlSigningResult {
  head: Uint8Array;
  tail: Uint8Array;
}

/** An OCSP responder's certificate to sign; everything in it comes from the committed row. */
export interface ResponderSigningRequest {
  issuerId: IssuerID;
  serialNumber: SerialNumber;
  publicKeySpki: Uint8Array;
  notBefore: Date;
  notAfter: Date;
}

export type ThreadRequest =
  | { type: "load-issuer"; material: IssuerMaterial }
  | { type: "probe"; issuerId: IssuerID; challenge: string }
  | { type: "issue"; requests: readonly SigningRequest[] }
  | { type: "sign-crl"; crl: CrlSigningRequest }
  | { type: "certify-responder"; certificate: ResponderSigningRequest };

/** The answer to each request. */
export interface ThreadAnswers {
  "load-issuer": { type: "load-issuer" };
  probe: { type: "probe"; signature: Uint8Array };
  issue: { type: "issue" } & IssueBatchResult;
  "sign-crl": { type: "sign-crl" } & CrlSigningResult;
  "certify-responder": { type: "certify-responder"; certificate: Uint8Array };
}

export type ThreadAnswer = ThreadAnswers[keyof ThreadAnswers];

/** A request in progress: its answer has the same number. */
export interface Envelope {
  requestId: number;
  request: ThreadRequest;
}

export type Reply = { requestId: number } & ({ answer: ThreadAnswer } | { error: { name: string; message: string } });

export interface SigningThreadData {
  passphrase: string;
  /** SubjectPublicKeyInfo of the key that outputs are sealed to, DER. */
  outputPublicKeySpki: Uint8Array;
  profileSigning: ProfileSigning | undefined;
}

/** The certificate and key that sign configuration profiles, PEM. The key is not an issuer's. */
export interface ProfileSigning {
  /** The certificate, with its chain. */
  certificate: string;
  key: string;
}
