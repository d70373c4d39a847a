import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SerialNumber } from "../../../domain/ids.ts";
import { draftCertificate, type CertificateDraft } from "../../../pki/certificate.ts";
import { lint, LintError, lintRules } from "../../../pki/lint.ts";
import { otherForms } from "../../support/pki/hostile-keys.ts";
import { certificateRequest, testIdentity } from "../../support/given/certificate-request.ts";

const draft = draftCertificate(certificateRequest());
const { issuer } = draft;

function rulesBrokenBy(override: Partial<CertificateDraft>): readonly string[] {
  try {
    lint({ ...draft, ...override });
    return [];
  } catch (error) {
    if (error instanceof LintError) return error.rules;
    throw error;
  }
}

const rsaKey = (modulusLength: number, publicExponent = 65537) =>
  generateKeyPairSync("rsa", { modulusLength, publicExponent }).publicKey.export({ format: "der", type: "spki" });

const rsa2048 = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** Returns a draft for a server, or a user, with this name in every place. */
const named = (subjectAltName: CertificateDraft["subjectAltName"]): Partial<CertificateDraft> => ({
  ...("dnsName" in subjectAltName
    ? { kind: "infrastructure" as const, extendedKeyUsages: ["clientAuth", "serverAuth"] as const }
    : {}),
  subject: { ...draft.subject, commonName: Object.values(subjectAltName)[0]! },
  subjectAltName,
});

const cases: [rule: string, what: string, override: Partial<CertificateDraft>][] = [
  ["serial_number_positive", "zero", { serialNumber: "0" as SerialNumber }],
  ["serial_number_positive", "a negative serial number", { serialNumber: "-5" as SerialNumber }],
  ["serial_number_at_most_20_octets", "21 octets in DER", { serialNumber: String(1n << 159n) as SerialNumber }],
  ["common_name_length", "no common name", { subject: { ...draft.subject, commonName: "" } }],
  ["common_name_length", "65 characters", { subject: { ...draft.subject, commonName: "a".repeat(65) } }],
  ["organization_length", "no organization", { subject: { ...draft.subject, organization: "" } }],
  ["organization_length", "65 characters", { subject: { ...draft.subject, organization: "a".repeat(65) } }],
  ["no_control_characters", "a line break", { subject: { ...draft.subject, organization: "a\nb" } }],
  ["no_control_characters", "NUL", { subject: { commonName: `${testIdentity}\0`, organization: "a" } }],
  ["no_control_characters", "half a character", { subject: { ...draft.subject, organization: "\ud800" } }],
  [
    "common_name_is_the_alternative_name",
    "another's name",
    { subject: { ...draft.subject, commonName: `b${testIdentity.slice(1)}` } },
  ],
  ["alternative_name_of_its_kind", "a person's address", { subjectAltName: { rfc822Name: "jane.doe@example.org" } }],
  ["alternative_name_of_its_kind", "a user named like a server", { subjectAltName: { dnsName: "radius.example.org" } }],
  [
    "alternative_name_of_its_kind",
    "a wildcard",
    { kind: "infrastructure", subjectAltName: { dnsName: "*.example.org" } },
  ],
  [
    "alternative_name_of_its_kind",
    "letters an IA5String has not",
    { subjectAltName: { rfc822Name: `${"a".repeat(20)}@bücher.example` } },
  ],
  ["name_within_domains", "another realm's identity", named({ rfc822Name: `${"a".repeat(20)}@wifi.example.net` })],
  [
    "name_within_domains",
    "an identity below the realm's domain",
    named({ rfc822Name: testIdentity.replace("@", "@a.") }),
  ],
  [
    "name_within_domains",
    "an identity in a domain for servers",
    named({ rfc822Name: `${"a".repeat(20)}@example.org` }),
  ],
  ["name_within_domains", "a foreign host", named({ dnsName: "www.example.net" })],
  ["name_within_domains", "a host whose name only ends alike", named({ dnsName: "notexample.org" })],
  ["name_within_domains", "the domain above", named({ dnsName: "org.example" })],
  [
    "name_within_issuer_constraints",
    "a host that the realm permits and its CA does not",
    { ...named({ dnsName: "radius.example.org" }), issuer: { ...issuer, permittedDomains: ["wifi.example.org"] } },
  ],
  ["validity_in_order", "an end before the beginning", { notAfter: new Date(draft.notBefore.getTime() - 1000) }],
  ["validity_in_order", "no time at all", { notAfter: draft.notBefore }],
  ["validity_in_order", "no date", { notBefore: new Date(Number.NaN) }],
  ["years_of_four_digits", "the year 10000", { notAfter: new Date("+010000-01-01T00:00:00Z") }],
  ["within_issuer_not_before", "older than its issuer", { notBefore: new Date(issuer.notBefore.getTime() - 1000) }],
  [
    "within_issuer_not_after",
    "a second longer than its issuer",
    { notAfter: new Date(issuer.notAfter.getTime() + 1000) },
  ],
  ["public_key_acceptable", "RSA-1024", { publicKeySpki: rsaKey(1024) }],
  ["public_key_acceptable", "the exponent 3", { publicKeySpki: rsaKey(2048, 3) }],
  ...otherForms({ rsa: rsa2048, p256 })
    .filter(([what]) => /(?:long length|indefinite|unused bits|a zero|another zero|after the)/.test(what))
    .map(([what, publicKeySpki]): [string, string, Partial<CertificateDraft>] => [
      "public_key_is_der",
      what,
      { publicKeySpki },
    ]),
  ["public_key_is_not_the_issuers", "the issuer's own key", { publicKeySpki: issuer.signer.publicKeySpki }],
  ["key_usage_of_its_key", "an EC key that enciphers", { keyUsages: ["digitalSignature", "keyEncipherment"] }],
  ["key_usage_of_its_key", "an RSA key that does not", { publicKeySpki: rsaKey(2048) }],
  ["extended_key_usage_of_its_kind", "a user who is a server", { extendedKeyUsages: ["clientAuth", "serverAuth"] }],
  ["extended_key_usage_of_its_kind", "no use at all", { extendedKeyUsages: [] }],
  [
    "urls_absolute_http",
    "https",
    { issuer: { ...issuer, urls: { ...issuer.urls, ocsp: "https://pki.example.org/" } } },
  ],
  ["urls_absolute_http", "a relative URL", { issuer: { ...issuer, urls: { ...issuer.urls, crl: "/crl" } } }],
];

test("a draft of the certificate profile breaks no rule", () => {
  expect(rulesBrokenBy({})).toEqual([]);
});

test.each(cases)("%s: refuses %s", (rule, _, override) => {
  expect(rulesBrokenBy(override)).toContain(rule);
});

test("every rule names its standard and has a case here", () => {
  expect(lintRules.filter(({ section }) => !/^(RFC|NIST) /.test(section))).toEqual([]);
  expect(lintRules.map(({ name }) => name)).toEqual([...new Set(cases.map(([rule]) => rule))]);
});

describe("at the end of the issuer", () => {
  test("a certificate can be valid until its issuer's end, to the second", () => {
    expect(rulesBrokenBy({ notAfter: issuer.notAfter })).toEqual([]);
  });

  test("a certificate whose only fault is that it outlives its issuer is refused as issuer_expiring", () => {
    const beyond = new Date(issuer.notAfter.getTime() + 1000);
    expect(() => {
      lint({ ...draft, notAfter: beyond });
    }).toThrow(expect.objectContaining({ code: "issuer_expiring" }));
    expect(() => {
      lint({ ...draft, notAfter: beyond, extendedKeyUsages: [] });
    }).toThrow(expect.objectContaining({ code: "lint_failed" }));
  });
});

describe("a name outside the realm's domains", () => {
  test.each(["example.org", "Radius.Example.ORG", "a.wifi.example.org"])("is not %s", (dnsName) => {
    expect(rulesBrokenBy(named({ dnsName }))).toEqual([]);
  });

  test("is not a host below one of several domains of the CA, and not an identity, which the CA does not constrain", () => {
    const constrained = { issuer: { ...issuer, permittedDomains: ["a.example", "wifi.example.org"] } };
    expect(rulesBrokenBy({ ...named({ dnsName: "radius.wifi.example.org" }), ...constrained })).toEqual([]);
    expect(rulesBrokenBy({ issuer: { ...issuer, permittedDomains: ["a.example"] } })).toEqual([]);
  });

  test("is refused as name_not_permitted if the draft has no other fault", () => {
    const foreign = named({ dnsName: "www.example.net" });
    expect(() => {
      lint({ ...draft, ...foreign });
    }).toThrow(expect.objectContaining({ code: "name_not_permitted" }));
    expect(() => {
      lint({ ...draft, ...foreign, notAfter: draft.notBefore });
    }).toThrow(expect.objectContaining({ code: "lint_failed" }));
  });
});
