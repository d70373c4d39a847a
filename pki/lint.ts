import {
  commonNameLengthMax,
  isDnsName,
  identityLabelLength,
  isIdentity,
  isWithinDomains,
  organizationLengthMax,
  type ExtendedKeyUsage,
} from "../domain/certificate/certificate-profile.ts";
import { permittedDomains } from "../domain/realm.ts";
import type { CertificateDraft } from "./certificate.ts";
import { isHttpUrl } from "./issuer.ts";
import { isDerPublicKey, publicKeyAlgorithm } from "./public-key.ts";

/** A condition that every profile's certificate must meet before it is signed. */
export interface LintRule {
  name: string;
  /** The section of the standard that requires the condition. */
  section: string;
  holds(draft: CertificateDraft): boolean;
}

/** The draft broke rules, so nothing was signed. */
export class LintError extends Error {
  override readonly name = "LintError";
  /**
   * `issuer_expiring`: the only fault is that the certificate would outlive its issuer. `name_not_permitted`: the only
   * fault is that the certificate's name is outside the permitted domains.
   */
  readonly code: "issuer_expiring" | "name_not_permitted" | "lint_failed";
  readonly rules: readonly string[];

  constructor(rules: readonly string[]) {
    super(`the certificate would break: ${rules.join(", ")}`);
    this.code = codeOf(rules);
    this.rules = rules;
  }
}

function codeOf(rules: readonly string[]): LintError["code"] {
  if (rules.every((rule) => rule === "within_issuer_not_after")) return "issuer_expiring";
  return rules.every((rule) => rule.startsWith("name_within_")) ? "name_not_permitted" : "lint_failed";
}

/** Checks a draft against every rule. Throws LintError with the names of all rules that the draft breaks. */
export function lint(draft: CertificateDraft): void {
  const broken = lintRules.filter((rule) => !rule.holds(draft)).map((rule) => rule.name);
  if (broken.length > 0) throw new LintError(broken);
}

const usagesOf: Record<CertificateDraft["kind"], readonly ExtendedKeyUsage[]> = {
  user: ["clientAuth"],
  guest: ["clientAuth"],
  infrastructure: ["clientAuth", "serverAuth"],
};

export const lintRules: readonly LintRule[] = [
  {
    name: "serial_number_positive",
    section: "RFC 5280 4.1.2.2",
    holds: ({ serialNumber }) => /^[1-9][0-9]*$/.test(serialNumber),
  },
  {
    name: "serial_number_at_most_20_octets",
    section: "RFC 5280 4.1.2.2",
    holds: ({ serialNumber }) => /^[0-9]{1,48}$/.test(serialNumber) && BigInt(serialNumber) < 1n << 159n,
  },
  {
    name: "common_name_length",
    section: "RFC 5280 A.1 ub-common-name",
    holds: ({ subject }) => fits(subject.commonName, commonNameLengthMax),
  },
  {
    name: "organization_length",
    section: "RFC 5280 A.1 ub-organization-name",
    holds: ({ subject }) => fits(subject.organization, organizationLengthMax),
  },
  {
    name: "no_control_characters",
    section: "RFC 5280 7.1, RFC 4518 2.2",
    holds: ({ subject }) => !/[\p{Cc}\p{Cs}]/u.test(subject.commonName + subject.organization),
  },
  {
    name: "common_name_is_the_alternative_name",
    section: "RFC 5216 5.2",
    holds: ({ subject, subjectAltName }) => subject.commonName === Object.values(subjectAltName)[0],
  },
  {
    name: "alternative_name_of_its_kind",
    section: "RFC 5280 4.2.1.6, RFC 1123 2.1",
    holds: ({ kind, subjectAltName: name }) =>
      "rfc822Name" in name ? isIdentity(name.rfc822Name) : kind === "infrastructure" && isDnsName(name.dnsName),
  },
  {
    name: "name_within_domains",
    section: "RFC 5280 4.2.1.6, RFC 9525 4",
    holds: ({ subjectAltName: name, realm }) =>
      "dnsName" in name
        ? isWithinDomains(name.dnsName, permittedDomains(realm))
        : name.rfc822Name.slice(identityLabelLength + 1) === realm.domain,
  },
  {
    name: "name_within_issuer_constraints",
    section: "RFC 5280 4.2.1.10",
    holds: ({ subjectAltName: name, issuer: { permittedDomains } }) =>
      !("dnsName" in name) || permittedDomains === null || isWithinDomains(name.dnsName, permittedDomains),
  },
  {
    name: "validity_in_order",
    section: "RFC 5280 4.1.2.5",
    holds: ({ notBefore, notAfter }) => notBefore < notAfter,
  },
  {
    name: "years_of_four_digits",
    section: "RFC 5280 4.1.2.5.2",
    holds: ({ notBefore, notAfter }) => notBefore.getUTCFullYear() >= 1950 && notAfter.getUTCFullYear() <= 9999,
  },
  {
    name: "within_issuer_not_before",
    section: "RFC 5280 6.1.3",
    holds: ({ notBefore, issuer }) => notBefore >= issuer.notBefore,
  },
  {
    name: "within_issuer_not_after",
    section: "RFC 5280 6.1.3",
    holds: ({ notAfter, issuer }) => notAfter <= issuer.notAfter,
  },
  {
    name: "public_key_acceptable",
    section: "RFC 5480 2.1, RFC 8017 3.1, NIST SP 800-131A",
    holds: ({ publicKeySpki }) => publicKeyAlgorithm(publicKeySpki) !== null,
  },
  {
    name: "public_key_is_der",
    section: "RFC 5280 4.1, X.690 10",
    holds: ({ publicKeySpki }) => isDerPublicKey(publicKeySpki),
  },
  {
    name: "public_key_is_not_the_issuers",
    section: "RFC 5280 3.2",
    holds: ({ publicKeySpki, issuer }) => Buffer.compare(publicKeySpki, issuer.signer.publicKeySpki) !== 0,
  },
  {
    name: "key_usage_of_its_key",
    section: "RFC 5280 4.2.1.3, RFC 5480 3, RFC 4055 1.2",
    holds: ({ keyUsages, publicKeySpki }) =>
      keyUsages.join() ===
      (publicKeyAlgorithm(publicKeySpki) === "rsa" ? "digitalSignature,keyEncipherment" : "digitalSignature"),
  },
  {
    name: "extended_key_usage_of_its_kind",
    section: "RFC 5280 4.2.1.12, RFC 5216 5.3",
    holds: ({ kind, extendedKeyUsages }) => extendedKeyUsages.join() === usagesOf[kind].join(),
  },
  {
    name: "urls_absolute_http",
    section: "RFC 5280 4.2.1.13, 4.2.2.1",
    holds: ({ issuer: { urls } }) => isHttpUrl(urls.crl) && isHttpUrl(urls.ocsp) && isHttpUrl(urls.caIssuers),
  },
];

function fits(text: string, charactersMax: number): boolean {
  return text.length > 0 && (text.length <= charactersMax || Array.from(text).length <= charactersMax);
}
