import { createPrivateKey, createPublicKey, createSign, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IssuerID } from "../../../../domain/ids.ts";
import { encryptKey } from "../../../../worker/keys/encrypted-key.ts";
import { loadIssuer, type Issuer } from "../../../../pki/issuer.ts";
import { signatureAlgorithmFor, signatureAlgorithms } from "../../../../pki/algorithms.ts";
import type { Signer } from "../../../../pki/signer.ts";
import type { IssuerMaterial } from "../../../../worker/signing/messages.ts";

/** The lowest cost that a key's record may have. */
export const testKeyCost = 1_024 as const;

/** The fixed, worthless CAs of this folder. */
export type TestIssuerName = "issuing" | "issuing-rsa";

export const testUrls = {
  crl: "http://pki.example.org/crl/1.crl",
  ocsp: "http://pki.example.org/ocsp",
  caIssuers: "http://pki.example.org/issuer/1.crt",
};

const text = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");

export const certificatePem = (name: "root" | TestIssuerName): string => text(`${name}.crt.pem`);
export const certificateDer = (name: "root" | TestIssuerName): Buffer => derOf(certificatePem(name));
export const privateKeyPem = (name: "root" | "leaf" | TestIssuerName): string => text(`${name}.key.pem`);
export const privateKeyPkcs8 = (name: "root" | "leaf" | TestIssuerName): Buffer => derOf(privateKeyPem(name));

/** Decodes the one PEM block of a text to DER. */
export const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ""), "base64");

/** Returns a signer that needs no passphrase. */
export function testSigner(name: "root" | TestIssuerName): Signer {
  const key = createPrivateKey(privateKeyPem(name));
  const algorithm = signatureAlgorithmFor(key);
  return {
    algorithm,
    publicKeySpki: createPublicKey(key).export({ format: "der", type: "spki" }),
    sign: (toBeSigned) => sign(signatureAlgorithms[algorithm].hash, toBeSigned, key),
    signInParts() {
      const signing = createSign(signatureAlgorithms[algorithm].hash);
      return { update: (part) => void signing.update(part), finish: () => signing.sign(key) };
    },
  };
}

export function testIssuer(name: TestIssuerName = "issuing"): Issuer {
  const certificate = certificateDer(name);
  return loadIssuer({
    issuerId: "1" as IssuerID,
    certificate,
    chain: [certificate],
    signer: testSigner(name),
    urls: testUrls,
  });
}

/** Returns a test issuer as the database would hold it, with its key encrypted under a passphrase. */
export async function testIssuerMaterial(
  passphrase: string,
  name: TestIssuerName = "issuing",
): Promise<IssuerMaterial> {
  const certificate = certificateDer(name);
  return {
    issuerId: "1" as IssuerID,
    certificate,
    chain: [certificate],
    encryptedKey: await encryptKey(privateKeyPkcs8(name), passphrase, { cost: testKeyCost }),
    urls: testUrls,
  };
}
