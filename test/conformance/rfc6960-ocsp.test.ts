import { createPrivateKey, hash, randomBytes, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SerialNumber } from "../../domain/ids.ts";
import { systemClock } from "../../runtime/clock.ts";
import { assembleCertificate } from "../../pki/certificate.ts";
import { generateKeyPair } from "../../pki/key-pair.ts";
import { readOcspRequest } from "../../responder/ocsp-request.ts";
import {
  encodeOcspError,
  encodeOcspResponse,
  encodeResponseData,
  ocspErrors,
  type CertificateStatus,
  type OcspError,
} from "../../responder/ocsp-response.ts";
import { pem } from "../../pki/pem.ts";
import {
  encodeResponderToBeSigned,
  lintResponder,
  responderLintRules,
  type ResponderDraft,
} from "../../pki/responder-certificate.ts";
import { certificateDer, certificatePem, testIssuer } from "../support/given/hierarchy/test-hierarchy.ts";
import { octetString } from "../../pki/der.ts";
import { encodeCertId, encodeOcspRequest, nonceExtension } from "../support/pki/ocsp.ts";
import { openssl } from "../support/pki/openssl.ts";
import { describeWithTool } from "../support/run/tools.ts";

const hour = 3_600_000;
const now = new Date(Math.floor(systemClock.now().getTime() / 1_000) * 1_000);
const keyPair = generateKeyPair("ec-p256");
const responderKey = createPrivateKey({ key: keyPair.privateKeyPkcs8, format: "der", type: "pkcs8" });

const responderDraft = (override: Partial<ResponderDraft> = {}): ResponderDraft => ({
  issuer: testIssuer(),
  serialNumber: "170141183460469231731687303715884105727" as SerialNumber,
  publicKeySpki: keyPair.publicKeySpki,
  notBefore: new Date(now.getTime() - hour),
  notAfter: new Date(now.getTime() + 72 * hour),
  ...override,
});

async function responderCertificate(draft = responderDraft()): Promise<Buffer> {
  lintResponder(draft);
  const toBeSigned = encodeResponderToBeSigned(draft);
  return assembleCertificate(toBeSigned, await draft.issuer.signer.sign(toBeSigned));
}

async function respond(
  request: Buffer,
  status: CertificateStatus,
  { draft = responderDraft(), at = now }: { draft?: ResponderDraft; at?: Date } = {},
): Promise<Buffer> {
  const asked = readOcspRequest(request);
  const responseData = encodeResponseData({
    responderKeyHash: hash("sha1", keyPair.publicKeySpki.subarray(-65), "buffer"),
    producedAt: at,
    thisUpdate: at,
    nextUpdate: new Date(at.getTime() + 5_000),
    responses: asked!.certIds.map(({ der }) => ({ certId: der, certificate: status })),
    nonce: asked!.nonce,
  });
  const signature = sign("sha256", responseData, responderKey);
  return encodeOcspResponse({ responseData, signature, certificate: await responderCertificate(draft) });
}

const files = {
  "root.pem": certificatePem("root"),
  "issuing.pem": certificatePem("issuing"),
  "issuing-rsa.pem": certificatePem("issuing-rsa"),
};
const trust = ["-CAfile", "root.pem", "-verify_other", "issuing.pem", "-partial_chain"];

describeWithTool("openssl", "an OCSP request that OpenSSL wrote (RFC 6960 section 4.1)", () => {
  test.each([
    ["with SHA-1", ["-sha1"], "sha1"],
    ["with SHA-256", ["-sha256"], "sha256"],
    ["with SHA-512", ["-sha512"], "sha512"],
  ])("%s is understood", (_, options, algorithm) => {
    const written = openssl(
      ["ocsp", ...options, "-issuer", "issuing.pem", "-serial", "4711", "-nonce", "-reqout", "-"],
      files,
    );
    const issuer = certificateDer("issuing");
    expect(readOcspRequest(written.output)).toMatchObject({
      certIds: [
        {
          hash: algorithm,
          serialNumber: "4711",
          der: encodeCertId({ issuer, serialNumber: "4711", algorithm: algorithm as "sha1" }),
        },
      ],
      nonce: { length: 18 },
    });
  });

  test("for several certificates is understood", () => {
    const serials = ["1", "128", "170141183460469231731687303715884105727"];
    const { output } = openssl(
      ["ocsp", "-issuer", "issuing.pem", ...serials.flatMap((each) => ["-serial", each]), "-no_nonce", "-reqout", "-"],
      files,
    );
    expect(readOcspRequest(output)).toMatchObject({
      certIds: serials.map((serialNumber) => ({ serialNumber })),
      nonce: null,
    });
  });
});

describeWithTool("openssl", "OpenSSL verifies an answer (RFC 6960 sections 3.2 and 4.2)", () => {
  const issuer = certificateDer("issuing");
  const certIdOf = (algorithm: "sha1" | "sha256"): Buffer => encodeCertId({ issuer, serialNumber: "4711", algorithm });

  async function shown(
    status: CertificateStatus,
    { algorithm = "sha1" }: { algorithm?: "sha1" | "sha256" } = {},
  ): Promise<{ stdout: string; stderr: string; status: number }> {
    const request = encodeOcspRequest([certIdOf(algorithm)]);
    return openssl(
      [
        "ocsp",
        `-${algorithm}`,
        "-issuer",
        "issuing.pem",
        "-serial",
        "4711",
        "-reqin",
        "request.der",
        "-respin",
        "response.der",
        "-text",
        ...trust,
      ],
      { ...files, "request.der": request, "response.der": await respond(request, status) },
    );
  }

  test.each(["sha1", "sha256"] as const)(
    "that reports a certificate as good, with a CertID of %s",
    async (algorithm) => {
      const { stdout, stderr } = await shown({ status: "good" }, { algorithm });
      expect(stderr).toContain("Response verify OK");
      expect(stdout).toContain("Cert Status: good");
      expect(stdout).toContain(
        "Responder Id: ".concat(hash("sha1", keyPair.publicKeySpki.subarray(-65), "hex").toUpperCase()),
      );
    },
  );

  test("that reports a certificate as revoked, with its reason unless the reason is 0", async () => {
    const at = new Date("2026-11-20T10:11:12Z");
    const withReason = await shown({ status: "revoked", at, reason: 1 });
    expect(withReason.stderr).toContain("Response verify OK");
    expect(withReason.stdout).toContain("Cert Status: revoked");
    expect(withReason.stdout).toContain("Revocation Time: Nov 20 10:11:12 2026 GMT");
    expect(withReason.stdout).toContain("Revocation Reason: keyCompromise (0x1)");

    const without = await shown({ status: "revoked", at, reason: 0 });
    expect(without.stderr).toContain("Response verify OK");
    expect(without.stdout).not.toContain("Revocation Reason");
  });

  test("that reports a certificate as unknown", async () => {
    const { stdout, stderr } = await shown({ status: "unknown" });
    expect(stderr).toContain("Response verify OK");
    expect(stdout).toContain("Cert Status: unknown");
  });

  test.each([1, 32, 128])("with the request's nonce of %i octets", async (length) => {
    const request = encodeOcspRequest([certIdOf("sha1")], [nonceExtension(randomBytes(length))]);
    const check = async (answered: Buffer): Promise<string> =>
      openssl(["ocsp", "-reqin", "request.der", "-respin", "response.der", ...trust], {
        ...files,
        "request.der": request,
        "response.der": await respond(answered, { status: "good" }),
      }).stderr;
    expect((await check(request)).trim()).toBe("Response verify OK");

    const another = encodeOcspRequest([certIdOf("sha1")], [nonceExtension(randomBytes(129 - length))]);
    expect(await check(another)).toContain("Nonce Verify error");
  });

  test("under an RSA issuer", async () => {
    const rsa = testIssuer("issuing-rsa");
    const request = encodeOcspRequest([encodeCertId({ issuer: certificateDer("issuing-rsa"), serialNumber: "5" })]);
    const response = await respond(request, { status: "good" }, { draft: responderDraft({ issuer: rsa }) });
    const { stderr } = openssl(
      ["ocsp", "-issuer", "issuing-rsa.pem", "-serial", "5", "-reqin", "request.der", "-respin", "response.der"].concat(
        ["-CAfile", "root.pem", "-verify_other", "issuing-rsa.pem", "-partial_chain"],
      ),
      { ...files, "request.der": request, "response.der": response },
    );
    expect(stderr).toContain("Response verify OK");
  });

  test("but rejects an answer if another issuer signed the responder's certificate", async () => {
    const request = encodeOcspRequest([certIdOf("sha1")]);
    const foreign = await respond(
      request,
      { status: "good" },
      { draft: responderDraft({ issuer: testIssuer("issuing-rsa") }) },
    );
    const { stderr } = openssl(
      [
        "ocsp",
        "-issuer",
        "issuing.pem",
        "-serial",
        "4711",
        "-reqin",
        "request.der",
        "-respin",
        "response.der",
        ...trust,
      ],
      { ...files, "request.der": request, "response.der": foreign },
    );
    expect(stderr).toContain("Response Verify Failure");
  });

  test.each(Object.keys(ocspErrors) as OcspError[])("and reads the error %s", (error) => {
    const { stdout } = openssl(["ocsp", "-respin", "response.der", "-noverify"], {
      "response.der": encodeOcspError(error),
    });
    expect(stdout.toLowerCase()).toContain(`responder error: ${error}`.toLowerCase());
  });
});

describeWithTool("openssl", "the certificate of a responder (RFC 6960 section 4.2.2.2)", () => {
  test("signs only OCSP responses, and is exempt from revocation checks", async () => {
    const { stdout } = openssl(["x509", "-in", "responder.pem", "-noout", "-text"], {
      "responder.pem": pem("CERTIFICATE", await responderCertificate()),
    });
    for (const line of [
      "Subject: CN = OCSP responder",
      "X509v3 Basic Constraints: critical\n                CA:FALSE",
      "X509v3 Key Usage: critical\n                Digital Signature\n",
      "X509v3 Extended Key Usage: \n                OCSP Signing\n",
      "OCSP No Check",
      "X509v3 Subject Key Identifier",
      "X509v3 Authority Key Identifier",
    ]) {
      expect(stdout).toContain(line);
    }
    expect(stdout).not.toContain("CRL Distribution");
  });
});

describe("no responder's certificate is signed if it", () => {
  const issuer = testIssuer();
  test.each<[string, string, Partial<ResponderDraft>]>([
    ["has an invalid serial number", "serial_number_positive", { serialNumber: "0" as SerialNumber }],
    ["ends before it begins", "validity_in_order", { notBefore: new Date(now.getTime() + 30 * 24 * hour) }],
    ["is valid for too long", "short_lived", { notAfter: new Date(now.getTime() + 4 * 24 * hour) }],
    [
      "outlives its issuer",
      "within_issuer",
      { notAfter: new Date(issuer.notAfter.getTime() + 1_000), notBefore: issuer.notAfter },
    ],
    [
      "begins before its issuer",
      "within_issuer",
      { notBefore: new Date(issuer.notBefore.getTime() - 1_000), notAfter: issuer.notBefore },
    ],
    [
      "has a key of another kind",
      "public_key_acceptable",
      { publicKeySpki: generateKeyPair("rsa-2048").publicKeySpki },
    ],
    ["has its issuer's key", "public_key_is_not_the_issuers", { publicKeySpki: issuer.signer.publicKeySpki }],
  ])("%s", (_, rule, override) => {
    expect(responderLintRules.map(({ name }) => name)).toContain(rule);
    expect(() => {
      lintResponder(responderDraft(override));
    }).toThrow(rule);
  });
});

test("the response for fixed inputs never changes", async () => {
  const certId = encodeCertId({ issuer: certificateDer("issuing"), serialNumber: "4711", algorithm: "sha256" });
  const at = new Date("2026-11-21T09:00:00Z");
  const responseData = encodeResponseData({
    responderKeyHash: Buffer.alloc(20, 0xab),
    producedAt: at,
    thisUpdate: at,
    nextUpdate: new Date("2026-11-21T09:00:05Z"),
    responses: [
      { certId, certificate: { status: "good" } },
      { certId, certificate: { status: "unknown" } },
      { certId, certificate: { status: "revoked", at: new Date("2051-01-02T03:04:05Z"), reason: 4 } },
      { certId, certificate: { status: "revoked", at, reason: 0 } },
    ],
    nonce: octetString(Buffer.alloc(16, 0xcd)),
  });
  const response = encodeOcspResponse({
    responseData,
    signature: Buffer.alloc(70, 0xef),
    certificate: certificateDer("issuing"),
  });
  const { stdout } = openssl(["asn1parse", "-inform", "DER", "-in", "data.der"], { "data.der": responseData });
  await expect(`${stdout}\n${response.toString("hex").replace(/(.{96})/g, "$1\n")}\n`).toMatchFileSnapshot(
    "pinned/ocsp-response.txt",
  );
});
