import type { SerialNumber } from "../domain/ids.ts";
import { subjectKeyIdentifier } from "./certificate.ts";
import {
  contextConstructed,
  nullValue,
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
import { LintError } from "./lint.ts";
import { publicKeyAlgorithm } from "./public-key.ts";
import { serialNumberToMagnitude } from "./serial-number.ts";

/**
 * The longest validity of a responder's certificate. It is short, because no client checks whether the certificate is
 * revoked.
 */
export const responderDaysMax = 4;

/** The contents of an OCSP responder's certificate that differ between responders. */
export interface ResponderDraft {
  readonly issuer: Issuer;
  readonly serialNumber: SerialNumber;
  readonly publicKeySpki: Uint8Array;
  /** notBefore and notAfter are in whole seconds. */
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * Encodes the TBSCertificate of a delegated responder (RFC 6960 section 4.2.2.2). The responder may only sign OCSP
 * answers of its issuer. No client checks its revocation (id-pkix-ocsp-nocheck), so the certificate is short-lived.
 */
export function encodeResponderToBeSigned(draft: ResponderDraft): Buffer {
  const { issuer } = draft;
  return sequence(
    version3,
    unsignedInteger(serialNumberToMagnitude(draft.serialNumber)),
    issuer.encoded.signatureAlgorithm,
    issuer.subject,
    sequence(time(draft.notBefore), time(draft.notAfter)),
    subject,
    draft.publicKeySpki,
    tlv(
      contextConstructed(3),
      sequence(
        notCa,
        digitalSignature,
        ocspSigning,
        noCheck,
        extension(oid("2.5.29.14"), false, octetString(subjectKeyIdentifier(draft.publicKeySpki))),
        issuer.encoded.authorityKeyIdentifier,
      ),
    ),
  );
}

/** Checks a draft before it is signed. Throws LintError with the names of all rules that the draft breaks. */
export function lintResponder(draft: ResponderDraft): void {
  const broken = responderLintRules.filter((rule) => !rule.holds(draft)).map((rule) => rule.name);
  if (broken.length > 0) throw new LintError(broken);
}

export const responderLintRules: readonly {
  name: string;
  section: string;
  holds(draft: ResponderDraft): boolean;
}[] = [
  {
    name: "serial_number_positive",
    section: "RFC 5280 4.1.2.2",
    holds: ({ serialNumber }) => /^[1-9][0-9]{0,47}$/.test(serialNumber) && BigInt(serialNumber) < 1n << 159n,
  },
  {
    name: "validity_in_order",
    section: "RFC 5280 4.1.2.5",
    holds: ({ notBefore, notAfter }) => notBefore < notAfter,
  },
  {
    name: "short_lived",
    section: "RFC 6960 4.2.2.2.1",
    holds: ({ notBefore, notAfter }) => notAfter.getTime() - notBefore.getTime() <= responderDaysMax * 86_400_000,
  },
  {
    name: "within_issuer",
    section: "RFC 5280 6.1.3",
    holds: ({ notBefore, notAfter, issuer }) => notBefore >= issuer.notBefore && notAfter <= issuer.notAfter,
  },
  {
    name: "public_key_acceptable",
    section: "RFC 5480 2.1",
    holds: ({ publicKeySpki }) => publicKeyAlgorithm(publicKeySpki) === "ec-p256",
  },
  {
    name: "public_key_is_not_the_issuers",
    section: "RFC 6960 4.2.2.2",
    holds: ({ publicKeySpki, issuer }) => Buffer.compare(publicKeySpki, issuer.signer.publicKeySpki) !== 0,
  },
];

const version3 = tlv(contextConstructed(0), smallInteger(2));
const subject = sequence(setOf(sequence(oid("2.5.4.3"), utf8String("OCSP responder"))));
const notCa = extension(oid("2.5.29.19"), true, sequence());
const digitalSignature = extension(oid("2.5.29.15"), true, Buffer.from([tag.bitString, 2, 7, 0x80]));
const ocspSigning = extension(oid("2.5.29.37"), false, sequence(oid("1.3.6.1.5.5.7.3.9")));
const noCheck = extension(oid("1.3.6.1.5.5.7.48.1.5"), false, nullValue);
