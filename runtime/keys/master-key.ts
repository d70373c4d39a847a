import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from "node:crypto";

/**
 * The service must read some secrets again (token signing keys, guest account tokens). It stores them sealed under a
 * master key that is not in the database. While the operator replaces the master key there are several: the first
 * seals, all of them open.
 *
 * sealed: version (1) | nonce (12) | ciphertext | tag (16), AES-256-GCM with the context as additional data
 */

/**
 * A master key that is not 32 bytes, or sealed bytes that do not open: they were altered, moved to another context, or
 * sealed under another master key.
 */
export class MasterKeyError extends Error {
  override readonly name = "MasterKeyError";
}

const version = Buffer.from([1]);
const nonceLength = 12;
const tagLength = 16;
const algorithm = "aes-256-gcm";

/** The master key; several keys while the operator replaces it. */
export type MasterKeys = readonly [KeyObject, ...KeyObject[]];

/**
 * Reads the master keys of a configuration: each 32 bytes in base64url, separated by commas. Throws {@link
 * MasterKeyError}.
 */
export function masterKeys(text: string): MasterKeys {
  const [first = "", ...others] = text.trim().split(",");
  return [masterKey(first), ...others.map(masterKey)];
}

function masterKey(text: string): KeyObject {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== 32) throw new MasterKeyError("The master key must be 32 bytes in base64url.");
  return createSecretKey(bytes);
}

/**
 * Seals `plaintext` under the first key. The result opens only in the same context, which should name the table and the
 * row.
 */
export function sealUnderMasterKey([key]: MasterKeys, plaintext: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength }).setAAD(additionalData(context));
  return Buffer.concat([version, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what {@link sealUnderMasterKey} sealed in this context under one of the keys. Throws {@link MasterKeyError}. */
export function openUnderMasterKey(keys: MasterKeys, sealed: Uint8Array, context: string): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  if (bytes.length < version.length + nonceLength + tagLength || bytes[0] !== version[0]) {
    throw new MasterKeyError("This is not something sealed under a master key.");
  }
  for (const key of keys) {
    const opened = openUnder(key, bytes, context);
    if (opened !== undefined) return opened;
  }
  throw new MasterKeyError("Sealed bytes do not open: altered, of another context, or under another master key.");
}

function openUnder(key: KeyObject, bytes: Buffer, context: string): Buffer | undefined {
  const nonce = bytes.subarray(version.length, version.length + nonceLength);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
    .setAAD(additionalData(context))
    .setAuthTag(bytes.subarray(-tagLength));
  try {
    const ciphertext = bytes.subarray(version.length + nonceLength, -tagLength);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    return undefined;
  }
}

const additionalData = (context: string): Buffer => Buffer.concat([version, Buffer.from(context)]);
