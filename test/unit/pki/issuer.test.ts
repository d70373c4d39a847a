import { expect, test } from "vitest";
import type { IssuerID } from "../../../domain/ids.ts";
import { loadIssuer, type IssuerFiles } from "../../../pki/issuer.ts";
import { certificateDer, testIssuer, testSigner, testUrls } from "../../support/given/hierarchy/test-hierarchy.ts";

const issuing = certificateDer("issuing");

const load = (override: Partial<IssuerFiles>) => () =>
  loadIssuer({
    issuerId: "7" as IssuerID,
    certificate: issuing,
    chain: [issuing],
    signer: testSigner("issuing"),
    urls: testUrls,
    ...override,
  });

test("an issuer's name, key identifier and validity are those of its certificate", () => {
  const issuer = testIssuer();

  expect(issuing.includes(issuer.subject)).toBe(true);
  expect(issuer.subjectKeyIdentifier).toHaveLength(20);
  expect(issuing.includes(issuer.subjectKeyIdentifier)).toBe(true);
  expect(issuer.notBefore).toEqual(new Date("2020-01-01T00:00:00Z"));
  expect(issuer.notAfter).toEqual(new Date("2099-12-31T23:59:59Z"));
});

test.each<[string, Partial<IssuerFiles>, RegExp]>([
  ["another CA's key", { signer: testSigner("issuing-rsa") }, /key does not match/],
  [
    "a signer of another algorithm",
    { signer: { ...testSigner("issuing"), algorithm: "ecdsa-with-SHA384" } },
    /algorithm/,
  ],
  ["no chain", { chain: [] }, /begin with its certificate/],
  ["another CA's chain", { chain: [certificateDer("issuing-rsa")] }, /begin with its certificate/],
  ["a root in the chain", { chain: [issuing, certificateDer("root")] }, /root/],
  ["a chain out of order", { chain: [issuing, certificateDer("issuing-rsa")] }, /order/],
  ["a certificate that is none", { certificate: Buffer.from("rubbish") }, /cannot be read/],
  ["an https URL", { urls: { ...testUrls, crl: "https://pki.example.org/1.crl" } }, /http URLs/],
  ["a relative URL", { urls: { ...testUrls, ocsp: "ocsp" } }, /http URLs/],
  ["a URL with a space", { urls: { ...testUrls, caIssuers: "http://pki.example.org/a b" } }, /http URLs/],
])("an issuer with %s does not load, and the error names the reason", (_, override, reason) => {
  expect(load(override)).toThrow(
    expect.objectContaining({ name: "IssuerError", message: expect.stringMatching(reason) as string }),
  );
});
