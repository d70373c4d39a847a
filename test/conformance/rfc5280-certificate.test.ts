import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { SerialNumber } from "../../domain/ids.ts";
import {
  assembleCertificate,
  draftCertificate,
  encodeToBeSigned,
  subjectKeyIdentifier,
  type CertificateRequest,
} from "../../pki/certificate.ts";
import { generateKeyPair } from "../../pki/key-pair.ts";
import { lint } from "../../pki/lint.ts";
import { pem } from "../../pki/pem.ts";
import {
  AuthorityInfoAccessExtension,
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  readChildren,
  readElement,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
} from "../../pki/x509.ts";
import { certificateRequest, testIdentity } from "../support/given/certificate-request.ts";
import { certificatePem, derOf, testIssuer, testUrls } from "../support/given/hierarchy/test-hierarchy.ts";
import { openssl } from "../support/pki/openssl.ts";
import { describeWithTool } from "../support/run/tools.ts";

async function issue(override: Partial<CertificateRequest> = {}): Promise<Buffer> {
  const draft = draftCertificate(certificateRequest(override));
  lint(draft);
  const toBeSigned = encodeToBeSigned(draft);
  return assembleCertificate(toBeSigned, await draft.issuer.signer.sign(toBeSigned));
}

const rsaKey = generateKeyPair("rsa-2048").publicKeySpki;
const p384Key = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey.export({
  format: "der",
  type: "spki",
});
const infrastructure = { kind: "infrastructure", dnsName: "radius.example.org" } as const;

const variants: [string, Partial<CertificateRequest>][] = [
  ["a user's, P-256", {}],
  ["a user's, RSA-2048", { publicKeySpki: rsaKey, keyIsRsa: true }],
  ["a user's, P-384", { publicKeySpki: p384Key }],
  ["a guest's", { kind: "guest" }],
  ["a server's by DNS name", infrastructure],
  ["a server's without a DNS name", { ...infrastructure, dnsName: null }],
  ["one under an RSA issuer", { issuer: testIssuer("issuing-rsa") }],
  ["one that ends after 2049", { notAfter: new Date("2051-06-01T00:00:00Z") }],
];

describe("the DER writer and @peculiar/x509 agree on every field of", () => {
  test.each(variants)("%s", async (_, override) => {
    const request = certificateRequest(override);
    const certificate = new X509Certificate(await issue(override));
    const name = request.kind === "infrastructure" && request.dnsName !== null ? request.dnsName : testIdentity;

    expect(BigInt(`0x${certificate.serialNumber}`)).toBe(BigInt(request.serialNumber));
    expect(certificate.issuerName.toString()).toBe(
      new X509Certificate(request.issuer.certificate).subjectName.toString(),
    );
    expect(certificate.subjectName.toJSON()).toEqual([{ CN: [name] }, { O: ["Example Üniversity"] }]);
    expect([certificate.notBefore, certificate.notAfter]).toEqual([request.notBefore, request.notAfter]);
    expect(Buffer.from(certificate.publicKey.rawData).equals(request.publicKeySpki)).toBe(true);

    const basicConstraints = certificate.getExtension(BasicConstraintsExtension);
    const keyUsage = certificate.getExtension(KeyUsagesExtension);
    const digitalSignature = KeyUsageFlags.digitalSignature as number;
    expect([basicConstraints?.ca, basicConstraints?.pathLength, basicConstraints?.critical]).toEqual([
      false,
      undefined,
      true,
    ]);
    expect([keyUsage?.usages, keyUsage?.critical]).toEqual([
      request.keyIsRsa ? digitalSignature | KeyUsageFlags.keyEncipherment : digitalSignature,
      true,
    ]);
    expect(certificate.getExtension(ExtendedKeyUsageExtension)?.usages).toEqual(
      request.kind === "infrastructure" ? ["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"] : ["1.3.6.1.5.5.7.3.2"],
    );
    expect(certificate.getExtension(SubjectAlternativeNameExtension)?.names.toJSON()).toEqual([
      { type: name === testIdentity ? "email" : "dns", value: name },
    ]);
    expect(certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId).toBe(
      new X509Certificate(request.issuer.certificate).getExtension(SubjectKeyIdentifierExtension)?.keyId,
    );
    const { keyId } = await SubjectKeyIdentifierExtension.create(certificate.publicKey);
    expect(certificate.getExtension(SubjectKeyIdentifierExtension)?.keyId).toBe(keyId);

    const access = certificate.getExtension(AuthorityInfoAccessExtension);
    const points = certificate.getExtension(CRLDistributionPointsExtension)?.distributionPoints;
    expect(access?.ocsp.map(({ value }) => value)).toEqual([testUrls.ocsp]);
    expect(access?.caIssuers.map(({ value }) => value)).toEqual([testUrls.caIssuers]);
    expect(points?.map((point) => point.distributionPoint?.fullName?.[0]?.uniformResourceIdentifier)).toEqual([
      testUrls.crl,
    ]);
    expect(certificate.extensions).toHaveLength(8);
    expect(
      await certificate.verify({
        publicKey: new X509Certificate(request.issuer.certificate).publicKey,
        signatureOnly: true,
      }),
    ).toBe(true);
  });
});

describeWithTool("openssl", "OpenSSL agrees on", () => {
  const text = (der: Buffer): string =>
    openssl(["x509", "-inform", "DER", "-in", "c.der", "-noout", "-text", "-nameopt", "utf8,sep_comma_plus"], {
      "c.der": der,
    }).stdout;

  test.each(variants)("%s: the chain is strictly valid for its purpose", async (_, override) => {
    const issuerName = override.issuer === undefined ? "issuing" : "issuing-rsa";
    const files = {
      "root.pem": certificatePem("root"),
      "issuing.pem": certificatePem(issuerName),
      "leaf.pem": pem("CERTIFICATE", await issue(override)),
    };
    const purposes = override.kind === "infrastructure" ? ["sslclient", "sslserver"] : ["sslclient"];

    for (const purpose of purposes) {
      const args = ["verify", "-x509_strict", "-check_ss_sig", "-purpose", purpose, "-attime", "1795300000"];
      expect(openssl([...args, "-CAfile", "root.pem", "-untrusted", "issuing.pem", "leaf.pem"], files)).toMatchObject({
        status: 0,
        stdout: "leaf.pem: OK\n",
      });
    }
  });

  test("RFC 5280 section 4.2.1.12: a server check rejects a user's certificate", async () => {
    const files = {
      "root.pem": certificatePem("root"),
      "issuing.pem": certificatePem("issuing"),
      "leaf.pem": pem("CERTIFICATE", await issue()),
    };
    const args = [
      "verify",
      "-purpose",
      "sslserver",
      "-attime",
      "1795300000",
      "-CAfile",
      "root.pem",
      "-untrusted",
      "issuing.pem",
      "leaf.pem",
    ];
    expect(openssl(args, files).stderr).toMatch(/un(suitable|supported) certificate purpose/);
  });

  test("RFC 5280 section 4.1.2.6: the subject is one CN, then O", async () => {
    expect(text(await issue())).toContain(`Subject: CN=${testIdentity},O=Example Üniversity\n`);
  });

  test("RFC 5280 sections 4.2.1 and 4.2.2: a user's certificate has the required extensions", async () => {
    const printed = text(await issue());

    expect(printed).toContain("Version: 3 (0x2)");
    expect(printed).toMatch(/Basic Constraints: critical\s+CA:FALSE\n/);
    expect(printed).toMatch(/Key Usage: critical\s+Digital Signature\n/);
    expect(printed).toMatch(/Extended Key Usage: \n\s+TLS Web Client Authentication\n/);
    expect(printed).toContain(`email:${testIdentity}\n`);
    expect(printed).toContain(`URI:${testUrls.crl}\n`);
    expect(printed).toContain(`OCSP - URI:${testUrls.ocsp}\n`);
    expect(printed).toContain(`CA Issuers - URI:${testUrls.caIssuers}\n`);
  });

  test("RFC 5280 section 4.2.1.3: an RSA key also has the usage keyEncipherment", async () => {
    expect(text(await issue({ publicKeySpki: rsaKey, keyIsRsa: true }))).toMatch(
      /critical\s+Digital Signature, Key Encipherment\n/,
    );
  });

  test("RFC 5280 section 4.2.1.6: a server's name is in dNSName and in the CN", async () => {
    const printed = text(await issue(infrastructure));

    expect(printed).toContain("Subject: CN=radius.example.org,");
    expect(printed).toContain("DNS:radius.example.org\n");
    expect(printed).toContain("TLS Web Client Authentication, TLS Web Server Authentication");
  });

  test.each([
    ["1", "Serial Number: 1 (0x1)"],
    ["128", "Serial Number: 128 (0x80)"],
    ["170141183460469231731687303715884105727", "7f:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff"],
  ])("RFC 5280 section 4.1.2.2: the serial number %s is positive", async (serialNumber, printed) => {
    const shown = text(await issue({ serialNumber: serialNumber as SerialNumber }));
    expect(shown).toContain(printed);
    expect(shown).not.toContain("Negative");
  });

  test("the pinned certificate matches its dump", () => {
    const { dump, der } = pinned();
    expect(openssl(["asn1parse", "-inform", "DER", "-i", "-in", "c.der"], { "c.der": der }).stdout).toBe(dump);
  });
});

describe("RFC 5280 section 4.1.2.5: dates through 2049 are UTCTime, from 2050 GeneralizedTime", () => {
  test.each([
    ["2049-12-31T23:59:59Z", 0x17, "491231235959Z"],
    ["2050-01-01T00:00:00Z", 0x18, "20500101000000Z"],
  ])("%s", async (notAfter, tagOctet, written) => {
    const der = await issue({ notAfter: new Date(notAfter) });
    const [toBeSigned = readElement(der)] = readChildren(der, readElement(der));
    const validity = readChildren(der, toBeSigned)[4] ?? toBeSigned;
    const [notBefore, end] = readChildren(der, validity);

    expect(notBefore?.tagOctet).toBe(0x17);
    expect(end?.tagOctet).toBe(tagOctet);
    expect(der.toString("latin1", end?.contentStart, end?.end)).toBe(written);
  });

  test("the draft and the certificate have no fractions of a second", async () => {
    const override = { notAfter: new Date("2027-01-01T00:00:00.999Z") };
    const whole = new Date("2027-01-01T00:00:00Z");
    expect(draftCertificate(certificateRequest(override)).notAfter).toEqual(whole);
    expect(new X509Certificate(await issue(override)).notAfter).toEqual(whole);
  });
});

test("RFC 5280 section 4.1.1.2: the outer signature algorithm equals the algorithm in the signed part", async () => {
  for (const name of ["issuing", "issuing-rsa"] as const) {
    const der = await issue({ issuer: testIssuer(name) });
    const [toBeSigned = readElement(der), outside] = readChildren(der, readElement(der));
    const inside = readChildren(der, toBeSigned)[2];

    expect(der.subarray(outside?.start, outside?.end).equals(der.subarray(inside?.start, inside?.end))).toBe(true);
  }
});

test("RFC 5280 section 4.2.1.2: keys of any size have different key identifiers", () => {
  const identifiers = [rsaKey, p384Key, certificateRequest().publicKeySpki].map((key) =>
    subjectKeyIdentifier(key).toString("hex"),
  );
  expect(new Set(identifiers).size).toBe(3);
});

function pinned(): { der: Buffer; dump: string } {
  const file = readFileSync(new URL("pinned/certificate.txt", import.meta.url), "utf8");
  const pemStart = file.indexOf("-----BEGIN");
  const dumpStart = file.indexOf("    0:d=0");
  return { der: derOf(file.slice(pemStart, dumpStart)), dump: file.slice(dumpStart) };
}

test("the certificate for fixed inputs equals the reviewed certificate, octet for octet", async () => {
  const der = await issue({ issuer: testIssuer("issuing-rsa") });
  expect(pem("CERTIFICATE", der)).toBe(pem("CERTIFICATE", pinned().der));
});
