import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { bitString, nullValue, oid, sequence, unsignedInteger } from "../../../pki/der.ts";
import { otherForms } from "../../support/pki/hostile-keys.ts";
import { publicKeyAlgorithm } from "../../../pki/public-key.ts";

const spki = { format: "der", type: "spki" } as const;
const ec = (namedCurve: string, paramEncoding: "named" | "explicit" = "named") =>
  generateKeyPairSync("ec", { namedCurve, paramEncoding }).publicKey.export(spki);

function rsa(modulus: Uint8Array, exponent: Uint8Array): Buffer {
  const algorithm = sequence(oid("1.2.840.113549.1.1.1"), nullValue);
  return sequence(algorithm, bitString(sequence(unsignedInteger(modulus), unsignedInteger(exponent))));
}
const modulusOf = (bits: number): Buffer =>
  Buffer.concat([Buffer.from([0x80]), Buffer.alloc(bits / 8 - 2), Buffer.from([1])]);
const f4 = Buffer.from([1, 0, 1]);

const rsa2048 = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

test.each([
  ["P-256", ec("prime256v1"), "ec-p256"],
  ["P-384", ec("secp384r1"), "ec-p384"],
  ["RSA-2048", rsa(modulusOf(2048), f4), "rsa"],
  ["RSA-4096", rsa(modulusOf(4096), f4), "rsa"],
  ["RSA with the exponent 65539", rsa(modulusOf(2048), Buffer.from([1, 0, 3])), "rsa"],
])("%s can be certified", (_, key, algorithm) => {
  expect(publicKeyAlgorithm(key)).toBe(algorithm);
});

test.each([
  ["P-521", ec("secp521r1")],
  ["secp256k1", ec("secp256k1")],
  ["P-256 with explicit parameters", ec("prime256v1", "explicit")],
  ["Ed25519", generateKeyPairSync("ed25519").publicKey.export(spki)],
  ["RSA-PSS", generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).publicKey.export(spki)],
  ["RSA-1024", rsa(modulusOf(1024), f4)],
  ["RSA of 2040 bits", rsa(modulusOf(2040), f4)],
  ["RSA-8192", rsa(modulusOf(8192), f4)],
  ["an even modulus", rsa(Buffer.concat([modulusOf(2048).subarray(0, -1), Buffer.from([2])]), f4)],
  ["the exponent 3", rsa(modulusOf(2048), Buffer.from([3]))],
  ["an even exponent", rsa(modulusOf(2048), Buffer.from([1, 0, 2]))],
  ["an exponent as long as the modulus", rsa(modulusOf(2048), modulusOf(2048))],
  ["octets after the key", Buffer.concat([rsa(modulusOf(2048), f4), Buffer.from([0])])],
  ["a key cut short", ec("prime256v1").subarray(0, -1)],
  ...otherForms({ rsa: rsa2048, p256 }).map(([what, key]): [string, Buffer] => [what, key]),
  ["rubbish", Buffer.from("rubbish")],
  ["nothing", Buffer.alloc(0)],
])("%s cannot be certified", (_, key) => {
  expect(publicKeyAlgorithm(key)).toBeNull();
});
