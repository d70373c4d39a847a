import { createCipheriv, createDecipheriv, randomBytes, scrypt, scryptSync, type ScryptOptions } from "node:crypto";
import { z } from "zod";

/**
 * The costs that a record can have, bounded because a record may be forged. The lowest cost is for tests; no program
 * writes it.
 */
const costs = [1_024, 16_384, 32_768, 65_536, 131_072] as const;
/** The parameter N of scrypt. */
export type KeyCost = (typeof costs)[number];
/** The cost of new records: 32 MB and some 80 ms. */
const defaultCost: KeyCost = 32_768;
const memoryBytesMax = 256 * 1024 * 1024;
const keyBase64LengthMax = 16_384;
const additionalData = Buffer.from("realmpass encrypted key 1");

const base64 = z
  .string()
  .max(keyBase64LengthMax)
  .regex(/^[A-Za-z0-9+/]+={0,2}$/);
const base64Of = (octets: number) => base64.refine((text) => Buffer.from(text, "base64").length === octets);

/**
 * A private key at rest: PKCS#8 under AES-256-GCM, its key derived from a passphrase by scrypt (RFC 7914).
 * JSON-compatible.
 */
export const EncryptedKey = z.strictObject({
  version: z.literal(1),
  kdf: z.strictObject({
    name: z.literal("scrypt"),
    N: z.literal(costs),
    r: z.int().min(8).max(16),
    p: z.int().min(1).max(4),
    salt: base64Of(16),
  }),
  cipher: z.strictObject({ name: z.literal("aes-256-gcm"), iv: base64Of(12), tag: base64Of(16), ciphertext: base64 }),
});
export type EncryptedKey = z.infer<typeof EncryptedKey>;

/** `wrong_passphrase` also covers an altered record: authenticated encryption cannot distinguish the two. */
export class EncryptedKeyError extends Error {
  override readonly name = "EncryptedKeyError";
  readonly code: "wrong_passphrase" | "malformed";

  constructor(code: "wrong_passphrase" | "malformed", message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Encrypts a PKCS#8 private key under a passphrase, or under the first line of several, with fresh salt and IV. Does
 * not change the given key.
 */
export async function encryptKey(
  privateKeyPkcs8: Uint8Array,
  passphraseLines: string,
  { cost = defaultCost }: { cost?: KeyCost | undefined } = {},
): Promise<EncryptedKey> {
  const [passphrase = ""] = linesOf(passphraseLines);
  if (passphrase === "") throw new EncryptedKeyError("malformed", "a passphrase is needed to encrypt a key");
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const parameters = { N: cost, r: 8, p: 1 };
  const key = await derive(passphrase, salt, parameters);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(additionalData);
  const ciphertext = Buffer.concat([cipher.update(privateKeyPkcs8), cipher.final()]);
  key.fill(0);
  return {
    version: 1,
    kdf: { name: "scrypt", ...parameters, salt: salt.toString("base64") },
    cipher: {
      name: "aes-256-gcm",
      iv: iv.toString("base64"),
      tag: cipher.getAuthTag().toString("base64"),
      ciphertext: ciphertext.toString("base64"),
    },
  };
}

/** Returns the passphrases, one per line; there are several while one is being replaced. */
const linesOf = (passphrase: string): string[] => passphrase.split(/\r?\n/).filter((line) => line !== "");

/**
 * Returns the PKCS#8 key of an untrusted record, decrypted with a passphrase or the first of several lines that opens
 * it. Throws EncryptedKeyError. The caller wipes the result.
 */
export async function decryptKey(record: unknown, passphrase: string): Promise<Buffer> {
  const { kdf, cipher } = parseRecord(record);
  for (const line of linesOf(passphrase)) {
    const opened = open(cipher, await derive(line, Buffer.from(kdf.salt, "base64"), kdf));
    if (opened !== undefined) return opened;
  }
  throw wrongPassphrase();
}

/**
 * Does the same as {@link decryptKey}, but blocks the thread for the derivation: for a signing thread, never for a
 * shared event loop.
 */
export function decryptKeySync(record: unknown, passphrase: string): Buffer {
  const { kdf, cipher } = parseRecord(record);
  for (const line of linesOf(passphrase)) {
    const opened = open(cipher, scryptSync(line, Buffer.from(kdf.salt, "base64"), 32, scryptOptions(kdf)));
    if (opened !== undefined) return opened;
  }
  throw wrongPassphrase();
}

const wrongPassphrase = (): EncryptedKeyError =>
  new EncryptedKeyError("wrong_passphrase", "the passphrase is wrong, or the encrypted key was altered");

function parseRecord(record: unknown): EncryptedKey {
  const parsed = EncryptedKey.safeParse(record);
  if (!parsed.success)
    throw new EncryptedKeyError("malformed", "not a record of an encrypted key, or of another version");
  return parsed.data;
}

function open(cipher: EncryptedKey["cipher"], key: Buffer): Buffer | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(cipher.iv, "base64"), { authTagLength: 16 })
    .setAAD(additionalData)
    .setAuthTag(Buffer.from(cipher.tag, "base64"));
  key.fill(0);
  const plaintext = decipher.update(Buffer.from(cipher.ciphertext, "base64"));
  try {
    decipher.final();
  } catch {
    plaintext.fill(0);
    return undefined;
  }
  return plaintext;
}

const scryptOptions = ({ N, r, p }: { N: number; r: number; p: number }): ScryptOptions => ({
  N,
  r,
  p,
  maxmem: memoryBytesMax + 128 * r * (p + 2),
});

function derive(passphrase: string, salt: Buffer, params: { N: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 32, scryptOptions(params), (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
