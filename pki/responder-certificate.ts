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

/** The longest that a responder's certificate may be valid: it is never revoked, because nobody asks whether it is. */
export const responderDaysMax = 4;

/** Everything that the certificate of an OCSP responder says which is not the same for all of them. */
export interface ResponderDraft {
  readonly issuer: Issuer;
  readonly serialNumber: SerialNumber;
  readonly publicKeySpki: Uint8Array;
  /** Both whole seconds. */
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * The TBSCertificate of a delegated responder (RFC 6960 section 4.2.2.2): it may sign OCSP answers of its issuer and do
 * nothing else, and nobody is to ask whether it was revoked (id-pkix-ocsp-nocheck), so it does not live long.
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

/** Holds the draft against what must be true before it is signed. Throws LintError with the names of all that is not. */
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
