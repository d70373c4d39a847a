import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { IssuerID } from "../../../../domain/ids.ts";
import { createIssuingCa, createRoot, type CertificateAuthority } from "../../../../worker/keys/ceremony.ts";
import { CeremonyError } from "../../../../worker/keys/ceremony-error.ts";
import { loadIssuer } from "../../../../pki/issuer.ts";
import { pem } from "../../../../pki/pem.ts";
import { openFileSignerSync } from "../../../../worker/keys/file-signer.ts";
import { testUrls, testKeyCost } from "../../../support/given/hierarchy/test-hierarchy.ts";
import { openssl } from "../../../support/pki/openssl.ts";
import { describeWithTool } from "../../../support/run/tools.ts";

const at = new Date("2026-11-21T09:00:00.500Z");
const organization = 'Universität "Süd", #1 + Söhne \\ Co; <a=b>';
const passphrase = "test passphrase";
/** The lowest cost of a record, because the cost is not under test. */
const cost = testKeyCost;
const nameConstraints = { form: "plain", domains: ["demo.example", "example.org"] } as const;
let root: CertificateAuthority;
let issuing: CertificateAuthority;

beforeAll(async () => {
  root = await createRoot({ organization, at, passphrase, cost });
  issuing = await createIssuingCa({ root, organization, nameConstraints, at, passphrase, cost });
});

const read = (ca: CertificateAuthority): X509Certificate => new X509Certificate(ca.certificate);

test("a root signs itself with P-384 and is valid for 20 years; an issuing CA under the root uses P-256 and is valid for 10 years", () => {
  const [rootCertificate, issuingCertificate] = [read(root), read(issuing)];

  expect(rootCertificate.verify(rootCertificate.publicKey)).toBe(true);
  expect(rootCertificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe("secp384r1");
  expect(new Date(rootCertificate.validTo)).toEqual(new Date("2046-11-21T09:00:00Z"));
  expect(issuingCertificate.checkIssued(rootCertificate) && issuingCertificate.verify(rootCertificate.publicKey)).toBe(
    true,
  );
  expect(issuingCertificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  expect(new Date(issuingCertificate.validTo)).toEqual(new Date("2036-11-21T09:00:00Z"));
});

test("a CA becomes valid before the first certificate that it can sign", () => {
  expect(new Date(read(issuing).validFrom).getTime()).toBeLessThan(at.getTime() - 5 * 60 * 1000);
});

test("two CAs of one organization have different names, both of which contain the organization", async () => {
  const another = await createIssuingCa({ root, organization, nameConstraints, at, passphrase, cost });

  expect(read(another).subject).not.toBe(read(issuing).subject);
  for (const ca of [another, issuing]) {
    expect(read(ca).subject).toContain("Universität");
    expect(read(ca).subject).toContain("Issuing CA");
  }
});

test("a long organization name is cut so that the common name has at most 64 characters", async () => {
  const long = await createRoot({ organization: "🛰".repeat(100), at, passphrase, cost, curve: "P-256" });
  const commonName = /CN=(.*)/.exec(read(long).subject)?.[1] ?? "";

  expect(Array.from(commonName).length).toBeLessThanOrEqual(64);
  expect(commonName).toMatch(/ Root CA [0-9a-f]{8}$/);
});

test("the ceremony makes an issuer that can be loaded", () => {
  const { certificate, encryptedKey } = issuing;
  const issuer = loadIssuer({
    issuerId: "1" as IssuerID,
    certificate,
    chain: [certificate],
    signer: openFileSignerSync(encryptedKey, passphrase),
    urls: testUrls,
  });

  expect(issuer.notAfter).toEqual(new Date("2036-11-21T09:00:00Z"));
});

test.each([
  ["would outlive its root", { validityYears: 21 }],
  ["is dated before its root", { at: new Date("2020-01-01T00:00:00Z") }],
  ["has no years", { validityYears: 0 }],
  ["has no organization", { organization: " " }],
])("an issuing CA that %s is refused", async (_, override) => {
  await expect(
    createIssuingCa({ root, organization, nameConstraints, at, passphrase, cost, ...override }),
  ).rejects.toThrow(CeremonyError);
});

test("a wrong passphrase does not open a root", async () => {
  const wrong = createIssuingCa({ root, organization, nameConstraints, at, passphrase: "wrong", cost });
  await expect(wrong).rejects.toMatchObject({ name: "EncryptedKeyError", code: "wrong_passphrase" });
});

describeWithTool("openssl", "read by OpenSSL", () => {
  const text = (ca: CertificateAuthority): string =>
    openssl(["x509", "-inform", "DER", "-in", "ca.der", "-noout", "-text"], { "ca.der": ca.certificate }).stdout;

  test("root and issuing CA have the extensions of RFC 5280 section 4.2.1, critical where the RFC requires it", () => {
    for (const ca of [root, issuing]) {
      expect(text(ca)).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign\n/);
      expect(text(ca)).toContain("X509v3 Subject Key Identifier");
    }
    expect(text(root)).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:1\n/);
    expect(text(issuing)).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/);
    expect(text(issuing)).toContain("X509v3 Authority Key Identifier");
    expect(text(root)).not.toMatch(/Name Constraints|Extended Key Usage/);
    expect(text(issuing)).not.toContain("CRL Distribution Points");
  });

  test("an issuing CA names the purposes of its certificates, and permits the given domains and no IP address", () => {
    expect(text(issuing)).toMatch(
      /Extended Key Usage: \n\s+TLS Web Client Authentication, TLS Web Server Authentication, 1\.3\.6\.1\.5\.5\.7\.3\.14, OCSP Signing\n/,
    );
    expect(text(issuing)).toMatch(
      /Name Constraints: \n\s+Permitted:\n\s+DNS:demo\.example\n\s+DNS:example\.org\n\s+Excluded:\n\s+IP:0\.0\.0\.0\/0\.0\.0\.0\n\s+IP:0:0:0:0:0:0:0:0\/0:0:0:0:0:0:0:0\n/,
    );
  });

  test("the name constraints are critical, or left out, as requested", async () => {
    const made = (form: "critical" | "none") =>
      createIssuingCa({ root, organization, nameConstraints: { ...nameConstraints, form }, at, passphrase, cost });
    expect(text(await made("critical"))).toMatch(/Name Constraints: critical\n/);
    const none = text(await made("none"));
    expect(none).not.toContain("Name Constraints");
    expect(none).toContain("Extended Key Usage");
  });

  test("the chain is strictly valid, for a root on either curve and beyond 2050", async () => {
    const smallRoot = await createRoot({ organization, at, passphrase, cost, curve: "P-256", validityYears: 40 });
    const under = await createIssuingCa({
      root: smallRoot,
      organization,
      nameConstraints,
      at,
      passphrase,
      cost,
      validityYears: 30,
    });

    for (const [above, below] of [
      [root, issuing],
      [smallRoot, under],
    ] as const) {
      const verified = openssl(
        ["verify", "-x509_strict", "-attime", String((at.getTime() / 1000) | 0), "-CAfile", "root.pem", "ca.pem"],
        {
          "root.pem": pem("CERTIFICATE", above.certificate),
          "ca.pem": pem("CERTIFICATE", below.certificate),
        },
      );
      expect(verified).toMatchObject({ status: 0, stdout: "ca.pem: OK\n" });
    }
    expect(text(smallRoot)).toContain("Not After : Nov 21 09:00:00 2066 GMT");
  });

  test("an issuing CA contains the addresses of the root's CRL and certificate if they are known", async () => {
    const published = await createIssuingCa({
      root,
      organization,
      nameConstraints,
      at,
      passphrase,
      cost,
      rootUrls: { crl: "http://pki.example.org/root.crl", caIssuers: "http://pki.example.org/root.crt" },
    });

    expect(text(published)).toContain("URI:http://pki.example.org/root.crl");
    expect(text(published)).toContain("CA Issuers - URI:http://pki.example.org/root.crt");
    expect(text(published)).not.toContain("OCSP - URI");
  });
});

describe("a key at rest", () => {
  test("is encrypted under a key that scrypt derives at N = 2^15, r = 8, p = 1 by default", async () => {
    const { encryptedKey } = await createIssuingCa({ root, organization, nameConstraints, at, passphrase });

    expect(encryptedKey.kdf).toMatchObject({ name: "scrypt", N: 2 ** 15, r: 8, p: 1 });
    expect(root.encryptedKey.kdf).toMatchObject({ name: "scrypt", N: cost, r: 8, p: 1 });
    expect(openFileSignerSync(encryptedKey, passphrase).algorithm).toBe("ecdsa-with-SHA256");
  });

  test("is in the ceremony's results only in encrypted form", () => {
    expect(Object.keys(root)).toEqual(["certificate", "encryptedKey"]);
    expect(root.encryptedKey.version).toBe(1);
  });
});
