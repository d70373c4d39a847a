import { createECDH, generateKeyPairSync } from "node:crypto";
import type { KeyType } from "../domain/certificate/device.ts";
import { p256SpkiPrefix } from "./algorithms.ts";

export interface KeyPair {
  /** PrivateKeyInfo (RFC 5208), DER, in a separate buffer: filling it with zeros erases the key. */
  privateKeyPkcs8: Buffer;
  /** SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7), DER. */
  publicKeySpki: Buffer;
}

/** Makes a fresh key pair. P-256 takes tens of microseconds, RSA a third of a second or more; both block the thread. */
export function generateKeyPair(keyType: KeyType): KeyPair {
  return keyType === "ec-p256" ? generateP256() : generateRsa(rsaModulusBits[keyType]);
}

const rsaModulusBits = { "rsa-2048": 2048, "rsa-3072": 3072 } as const;

function generateRsa(modulusLength: number): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength,
    publicExponent: 65537,
    privateKeyEncoding: { type: "pkcs8", format: "der" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  return { privateKeyPkcs8: privateKey, publicKeySpki: publicKey };
}

/** Uses ECDH, because generateKeyPairSync to DER costs ten times as much. */
function generateP256(): KeyPair {
  const ecdh = createECDH("prime256v1");
  const point = ecdh.generateKeys();
  const scalar = ecdh.getPrivateKey();
  const keyPair = p256KeyPair(scalar, point);
  scalar.fill(0);
  return keyPair;
}

/**
 * Makes a P-256 key pair from its scalar (big-endian, with or without leading zeros) and its uncompressed point of 65
 * octets (RFC 5915 section 3, RFC 5480 section 2). Copies the scalar.
 */
export function p256KeyPair(scalar: Uint8Array, point: Uint8Array): KeyPair {
  const privateKeyPkcs8 = Buffer.alloc(pkcs8Prefix.length + 32 + pkcs8Middle.length + 65);
  privateKeyPkcs8.set(pkcs8Prefix, 0);
  // RFC 5915 requires 32 octets; getPrivateKey() omits leading zeros, once in 256 keys.
  privateKeyPkcs8.set(scalar, pkcs8Prefix.length + 32 - scalar.length);
  privateKeyPkcs8.set(pkcs8Middle, pkcs8Prefix.length + 32);
  privateKeyPkcs8.set(point, pkcs8Prefix.length + 32 + pkcs8Middle.length);
  return { privateKeyPkcs8, publicKeySpki: Buffer.concat([p256SpkiPrefix, point]) };
}

const pkcs8Prefix = Buffer.from("308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420", "hex");
const pkcs8Middle = Buffer.from("a144034200", "hex");
