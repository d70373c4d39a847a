import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CsrError, csrLengthMax, readCsr } from "../../../pki/csr.ts";
import { bitString, contextConstructed, nullValue, oid, sequence, smallInteger, tag, tlv } from "../../../pki/der.ts";
import { pem } from "../../../pki/pem.ts";
import { longLength, otherForms, requestFor } from "../../support/pki/hostile-keys.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { describeWithTool } from "../../support/run/tools.ts";

const spkiOf = (key: KeyObject): Buffer => createPublicKey(key).export({ format: "der", type: "spki" });
const ec = (namedCurve: string): KeyObject => generateKeyPairSync("ec", { namedCurve }).privateKey;
const rsa = (modulusLength: number): KeyObject => generateKeyPairSync("rsa", { modulusLength }).privateKey;

const ecdsaWith = { sha1: "1.2.840.10045.4.1", sha256: "1.2.840.10045.4.3.2", sha384: "1.2.840.10045.4.3.3" };
const rsaWith = { sha1: "1.2.840.113549.1.1.5", sha256: "1.2.840.113549.1.1.11", sha512: "1.2.840.113549.1.1.13" };

interface Parts {
  key: KeyObject;
  spki?: Buffer;
  hash?: "sha1" | "sha256" | "sha384" | "sha512";
  algorithm?: Buffer;
  attributes?: Buffer;
}

/** Makes a request with any part replaced, and signs the result with `key`. */
function csrDer({ key, spki = spkiOf(key), hash = "sha256", algorithm, attributes = Buffer.alloc(0) }: Parts): Buffer {
  const info = sequence(smallInteger(0), sequence(), spki, tlv(contextConstructed(0), attributes));
  const identifiers: Partial<Record<string, string>> = key.asymmetricKeyType === "ec" ? ecdsaWith : rsaWith;
  const identifier =
    algorithm ?? sequence(oid(identifiers[hash] ?? ""), ...(key.asymmetricKeyType === "ec" ? [] : [nullValue]));
  return sequence(info, identifier, bitString(sign(hash, info, key)));
}

const csr = (parts: Parts): string => pem("CERTIFICATE REQUEST", csrDer(parts));

const p256 = ec("prime256v1");
const p384 = ec("secp384r1");
const rsa2048 = rsa(2048);
const good = csr({ key: p256 });

describe("a request is accepted", () => {
  test.each<[string, Parts]>([
    ["with P-256", { key: p256 }],
    ["with P-384", { key: p384, hash: "sha384" }],
    ["with RSA-2048", { key: rsa2048 }],
    ["with RSA-2048 and SHA-512", { key: rsa2048, hash: "sha512" }],
  ])("%s, and its public key is read unchanged", (_, parts) => {
    expect(readCsr(csr(parts)).publicKeySpki.equals(spkiOf(parts.key))).toBe(true);
  });

  test.each([
    ["with text before it", `Certificate Request:\n    Data:\n${good}`],
    ["with other line ends", good.replaceAll("\n", "\r\n")],
    ["with blanks after the dashes", good.replaceAll(/-----$/gm, "----- \t")],
    ["with carriage returns alone", good.replaceAll("\n", "\r")],
    ["with indented lines", good.replaceAll(/^(?=[A-Za-z0-9])/gm, "  ")],
    ["with the older label", good.replaceAll("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST")],
  ])("%s", (_, text) => {
    expect(readCsr(text).publicKeySpki.equals(spkiOf(p256))).toBe(true);
  });
});

const der = csrDer({ key: p256 });
const flipped = (at: number): string => {
  const copy = Buffer.from(der);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return pem("CERTIFICATE REQUEST", copy);
};
const offCurve = Buffer.from(spkiOf(p256));
offCurve[offCurve.length - 1] = (offCurve.at(-1) ?? 0) ^ 1;
const deep = (levels: number): Buffer => {
  let inner: Buffer = nullValue;
  for (let level = 0; level < levels; level++) inner = sequence(inner);
  return inner;
};

describe("a request is refused with a reason that can be shown to people", () => {
  test.each<[string, () => string]>([
    ["nothing", () => ""],
    ["text", () => "please"],
    ["a certificate's label", () => good.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE")],
    ["a private key", () => p256.export({ format: "pem", type: "pkcs8" }).toString()],
    ["no end", () => good.slice(0, 100)],
    ["another end", () => good.replace("END CERTIFICATE REQUEST", "END CERTIFICATE")],
    ["two requests", () => good + good],
    ["characters that are not base64", () => good.replace("M", "*")],
    ["more than 16 kB", () => " ".repeat(csrLengthMax) + good],
    ["an empty block", () => pem("CERTIFICATE REQUEST", Buffer.alloc(0))],
    ["DER of something else", () => pem("CERTIFICATE REQUEST", spkiOf(p256))],
    ["DER cut short", () => pem("CERTIFICATE REQUEST", der.subarray(0, -1))],
    ["octets after the request", () => pem("CERTIFICATE REQUEST", Buffer.concat([der, Buffer.from([0])]))],
    [
      "a length that lies",
      () =>
        pem("CERTIFICATE REQUEST", Buffer.concat([Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), der.subarray(4)])),
    ],
    [
      "an indefinite length",
      () => pem("CERTIFICATE REQUEST", Buffer.concat([Buffer.from([0x30, 0x80]), der.subarray(3), Buffer.alloc(2)])),
    ],
    ["three thousand levels of nesting", () => pem("CERTIFICATE REQUEST", deep(3000))],
    ["nested attributes", () => csr({ key: p256, attributes: deep(1000) })],
    ["an altered signature", () => flipped(der.length - 1)],
    ["an altered subject key", () => flipped(60)],
    ["another's public key", () => csr({ key: p256, spki: spkiOf(ec("prime256v1")) })],
    ["a point that is not on the curve", () => csr({ key: p256, spki: offCurve })],
    ["an RSA key in an ECDSA request", () => csr({ key: p256, spki: spkiOf(rsa2048) })],
    ["SHA-1", () => csr({ key: rsa2048, hash: "sha1" })],
    ["SHA-1 with ECDSA", () => csr({ key: p256, hash: "sha1" })],
    ["an algorithm nobody knows", () => csr({ key: p256, algorithm: sequence(oid("1.2.3.4")) })],
    ["no algorithm", () => csr({ key: p256, algorithm: sequence() })],
    ["P-521", () => csr({ key: ec("secp521r1") })],
    ["secp256k1", () => csr({ key: ec("secp256k1") })],
    ["RSA-1024", () => csr({ key: rsa(1024) })],
    [
      "Ed25519 as a key",
      () => csr({ key: p256, spki: generateKeyPairSync("ed25519").publicKey.export({ format: "der", type: "spki" }) }),
    ],
  ])("%s", (_, make) => {
    const text = make();
    let error: unknown;
    try {
      readCsr(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(CsrError);
    expect((error as CsrError).message).toMatch(/^[A-Z][^\n]{10,150}\.$/);
  });
});

const spkiWith = (...algorithm: Buffer[]): Buffer => sequence(sequence(...algorithm), bitString(Buffer.alloc(32, 7)));
const certificateLabel = (text: string): string => text.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE");

describe("a refusal names what is wrong", () => {
  test.each<[string, () => string, string]>([
    ["P-521", () => csr({ key: ec("secp521r1") }), "P-521"],
    ["secp256k1", () => csr({ key: ec("secp256k1") }), "secp256k1"],
    ["RSA-1024", () => csr({ key: rsa(1024) }), "1024 bits"],
    ["e=3", () => csr({ key: generateKeyPairSync("rsa", { modulusLength: 2048, publicExponent: 3 }).privateKey }), "3"],
    ["Ed25519", () => csr({ key: p256, spki: spkiWith(oid("1.3.101.112")) }), "Ed25519"],
    ["Ed448", () => csr({ key: p256, spki: spkiWith(oid("1.3.101.113")) }), "Ed448"],
    ["an RSA-PSS key", () => csr({ key: p256, spki: spkiWith(oid("1.2.840.113549.1.1.10")) }), "RSA-PSS"],
    [
      "an RSA-PSS signature",
      () => csr({ key: rsa2048, algorithm: sequence(oid("1.2.840.113549.1.1.10"), sequence()) }),
      "RSA-PSS",
    ],
    ["SHA-1", () => csr({ key: rsa2048, hash: "sha1" }), "SHA-1"],
    ["SHA-1 with ECDSA", () => csr({ key: p256, hash: "sha1" }), "SHA-1"],
    [
      "an unknown signature algorithm",
      () => csr({ key: p256, algorithm: sequence(oid("1.2.3.4")) }),
      "an algorithm that is not supported",
    ],
    ["another's key", () => csr({ key: p256, spki: spkiOf(ec("prime256v1")) }), "not signed with the key it contains"],
    ["a certificate", () => certificateLabel(good), "CERTIFICATE instead of"],
    ["a private key", () => p256.export({ format: "pem", type: "pkcs8" }).toString(), "PRIVATE KEY instead of"],
    ["no end", () => good.slice(0, 100), "no line -----END CERTIFICATE REQUEST-----"],
    ["no base64", () => good.replace("M", "*"), "base64"],
    ["text", () => "please", "-----BEGIN CERTIFICATE REQUEST-----"],
  ])("%s", (_, make, named) => {
    const text = make();
    expect(() => readCsr(text)).toThrow(named);
  });
});

describe("a key that is not in DER is refused: a key has one form", () => {
  test.each(otherForms({ rsa: rsa2048, p256 }))("%s", (_, spki, key) => {
    expect(() => readCsr(requestFor(key, spki))).toThrow(CsrError);
  });
});

describe("a request that is not DER is refused, although its signature and key are good", () => {
  const info = sequence(smallInteger(0), sequence(), spkiOf(p256), tlv(contextConstructed(0)));
  const algorithm = sequence(oid(ecdsaWith.sha256));
  const signed = (over: Buffer): Buffer => sign("sha256", over, p256);
  const content = Buffer.concat([info, algorithm, bitString(signed(info))]);
  const longInfo = longLength(
    tag.sequence,
    Buffer.concat([smallInteger(0), sequence(), spkiOf(p256), tlv(contextConstructed(0))]),
  );

  test.each<[string, Buffer]>([
    ["a long length outside", longLength(tag.sequence, content)],
    ["a long length of what is signed", sequence(longInfo, algorithm, bitString(signed(longInfo)))],
    [
      "a long length of the algorithm",
      sequence(info, longLength(tag.sequence, oid(ecdsaWith.sha256)), bitString(signed(info))),
    ],
    ["a fourth element", sequence(content, nullValue)],
    ["unused bits of the signature", sequence(info, algorithm, tlv(tag.bitString, Buffer.from([1]), signed(info)))],
    [
      "a signature that is no BIT STRING",
      sequence(info, algorithm, tlv(tag.octetString, Buffer.from([0]), signed(info))),
    ],
  ])("%s", (_, request) => {
    expect(() => readCsr(pem("CERTIFICATE REQUEST", request))).toThrow(CsrError);
  });
});

describeWithTool("openssl", "requests by openssl", () => {
  const key = (options: readonly string[]): string => {
    const { stdout } = openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", ...options], {});
    return stdout;
  };
  const request = (keyPem: string, options: readonly string[] = []): string =>
    openssl(["req", "-new", "-key", "key.pem", "-subj", "/CN=ignored", ...options], { "key.pem": keyPem }).stdout;

  test("explicit parameters and compressed points are refused; the same key in its usual form is accepted", () => {
    const usual = key([]);
    const convert = (...options: string[]): string =>
      openssl(["pkey", "-in", "key.pem", ...options], { "key.pem": usual }).stdout;
    const compressed = request(convert("-ec_conv_form", "compressed"));
    const explicit = request(convert("-ec_param_enc", "explicit"));

    expect(compressed).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----/);
    expect(explicit.length).toBeGreaterThan(request(usual).length);
    expect(() => readCsr(compressed)).toThrow(CsrError);
    expect(() => readCsr(explicit)).toThrow(CsrError);
    expect(readCsr(request(usual)).publicKeySpki.equals(spkiOf(createPrivateKey(usual)))).toBe(true);
  });
});

test("hostile text is refused, whatever it repeats", () => {
  const label = "CERTIFICATE REQUEST";
  const texts = ["-----BEGIN ", "-----BEGIN CERTIFICATE REQUEST-----\n", "-", "=", "\r\n", "NEW "].map((piece) =>
    piece.repeat(csrLengthMax).slice(0, csrLengthMax),
  );
  texts.push(`-----BEGIN ${label}-----\n${"A".repeat(16_000)}\n-----END ${label}-----`);

  for (const text of texts) expect(() => readCsr(text)).toThrow(CsrError);
});

test("a request with any single octet altered is refused or has the same key, and never causes another error", () => {
  for (let at = 0; at < der.length; at++) {
    try {
      expect(readCsr(flipped(at)).publicKeySpki.equals(spkiOf(p256))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(CsrError);
    }
  }
});
