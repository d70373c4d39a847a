import { createECDH, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { keyTypes } from "../../../domain/certificate/device.ts";
import { generateKeyPair, p256KeyPair, type KeyPair } from "../../../pki/key-pair.ts";
import { publicKeyAlgorithm } from "../../../pki/public-key.ts";

function expectUsable({ privateKeyPkcs8, publicKeySpki }: KeyPair): void {
  const privateKey = createPrivateKey({ key: privateKeyPkcs8, format: "der", type: "pkcs8" });
  const publicKey = createPublicKey({ key: publicKeySpki, format: "der", type: "spki" });
  expect(verify("sha256", Buffer.from("x"), publicKey, sign("sha256", Buffer.from("x"), privateKey))).toBe(true);
}

test.each(keyTypes)("the halves of a %s pair belong together, and the key can be certified", (keyType) => {
  const keyPair = generateKeyPair(keyType);

  expectUsable(keyPair);
  expect(publicKeyAlgorithm(keyPair.publicKeySpki)).toBe(keyType === "ec-p256" ? "ec-p256" : "rsa");
});

test("no key is made twice", () => {
  const keys = Array.from({ length: 50 }, () => generateKeyPair("ec-p256").publicKeySpki.toString("hex"));
  expect(new Set(keys).size).toBe(50);
});

describe("P-256 scalars with leading zeros", () => {
  test.each([1, 2, 16, 31])(
    "are written in full length with %i of these zeros, byte for byte as OpenSSL writes them",
    (zeros) => {
      const scalar = Buffer.concat([Buffer.alloc(zeros), Buffer.alloc(32 - zeros, 0x5a)]);
      const ecdh = createECDH("prime256v1");
      ecdh.setPrivateKey(scalar);

      const keyPair = p256KeyPair(scalar.subarray(zeros), ecdh.getPublicKey());

      expectUsable(keyPair);
      const openssl = createPrivateKey({ key: keyPair.privateKeyPkcs8, format: "der", type: "pkcs8" });
      expect(keyPair.privateKeyPkcs8.equals(openssl.export({ format: "der", type: "pkcs8" }))).toBe(true);
      expect(keyPair.publicKeySpki.equals(createPublicKey(openssl).export({ format: "der", type: "spki" }))).toBe(true);
    },
  );

  test("a thousand generated keys, some of them with a leading zero, all have the same length", () => {
    const lengths = new Set(Array.from({ length: 1000 }, () => generateKeyPair("ec-p256").privateKeyPkcs8.length));
    expect([...lengths]).toEqual([138]);
  });
});

test("a private key has its own memory: wiping it leaves no copy in a shared pool", () => {
  const { privateKeyPkcs8 } = generateKeyPair("ec-p256");
  expect(privateKeyPkcs8.buffer.byteLength).toBe(privateKeyPkcs8.length);
});
