import { beforeAll, describe, expect, test } from "vitest";
import {
  decryptKey,
  decryptKeySync,
  encryptKey,
  EncryptedKeyError,
  type EncryptedKey,
} from "../../../../worker/keys/encrypted-key.ts";
import { openFileSigner, openFileSignerSync } from "../../../../worker/keys/file-signer.ts";
import { generateKeyPairSync, verify } from "node:crypto";
import { privateKeyPkcs8, testKeyCost } from "../../../support/given/hierarchy/test-hierarchy.ts";

const passphrase = "correct horse, bättery";
const key = privateKeyPkcs8("issuing");
const cost = testKeyCost;
let record: EncryptedKey;

beforeAll(async () => {
  record = await encryptKey(key, passphrase, { cost });
});

test("a key is read from its record with its passphrase, even after a round trip through JSON", async () => {
  const stored = JSON.parse(JSON.stringify(record)) as unknown;

  expect((await decryptKey(stored, passphrase)).equals(key)).toBe(true);
  expect(decryptKeySync(stored, passphrase).equals(key)).toBe(true);
});

test("encrypting leaves the given key unchanged, and two records of one key differ in salt, IV and ciphertext", async () => {
  const again = await encryptKey(key, passphrase, { cost });

  expect(key.equals(privateKeyPkcs8("issuing"))).toBe(true);
  expect(again.kdf.salt).not.toBe(record.kdf.salt);
  expect(again.cipher.iv).not.toBe(record.cipher.iv);
  expect(again.cipher.ciphertext).not.toBe(record.cipher.ciphertext);
});

test("a wrong passphrase is reported as wrong", async () => {
  await expect(decryptKey(record, "wrong")).rejects.toMatchObject({
    name: "EncryptedKeyError",
    code: "wrong_passphrase",
  });
  expect(() => decryptKeySync(record, "")).toThrow(EncryptedKeyError);
});

test("an empty passphrase protects nothing and is refused", async () => {
  await expect(encryptKey(key, "")).rejects.toMatchObject({ code: "malformed" });
});

test("an altered record does not open", () => {
  const ciphertext = Buffer.from(record.cipher.ciphertext, "base64");
  ciphertext[0] = (ciphertext[0] ?? 0) ^ 1;
  const altered = { ...record, cipher: { ...record.cipher, ciphertext: ciphertext.toString("base64") } };

  expect(() => decryptKeySync(altered, passphrase)).toThrow(expect.objectContaining({ code: "wrong_passphrase" }));
});

describe("a record that is malformed, or too costly, is refused before any work is done", () => {
  const withKdf = (kdf: object) => ({ ...record, kdf: { ...record.kdf, ...kdf } });
  const withCipher = (cipher: object) => ({ ...record, cipher: { ...record.cipher, ...cipher } });

  test.each<[string, () => unknown]>([
    ["nothing", () => null],
    ["text", () => "{}"],
    ["another version", () => ({ ...record, version: 2 })],
    ["memory without end", () => withKdf({ N: 2 ** 30 })],
    ["a cost that is no power of two", () => withKdf({ N: 20_000 })],
    ["hardly any cost", () => withKdf({ N: 2 })],
    ["a large block size", () => withKdf({ r: 1024 })],
    ["much parallelism", () => withKdf({ p: 1024 })],
    ["a short salt", () => withKdf({ salt: "AAAA" })],
    ["another derivation", () => withKdf({ name: "pbkdf2" })],
    ["a short tag", () => withCipher({ tag: "AAAA" })],
    ["a short iv", () => withCipher({ iv: "AAAA" })],
    ["a huge ciphertext", () => withCipher({ ciphertext: "A".repeat(20_000) })],
    ["another cipher", () => withCipher({ name: "aes-128-ecb" })],
  ])("%s", (_, make) => {
    expect(() => decryptKeySync(make(), passphrase)).toThrow(expect.objectContaining({ code: "malformed" }));
  });
});

describe("a signer from a file", () => {
  test("makes signatures that verify, whether its key was opened asynchronously or synchronously", async () => {
    for (const signer of [await openFileSigner(record, passphrase), openFileSignerSync(record, passphrase)]) {
      const signature = await signer.sign(Buffer.from("to be signed"));
      const key = { key: Buffer.from(signer.publicKeySpki), format: "der", type: "spki" } as const;

      expect(signer.algorithm).toBe("ecdsa-with-SHA256");
      expect(verify("sha256", Buffer.from("to be signed"), key, signature)).toBe(true);
    }
  });

  test.each([
    ["P-384", "ecdsa-with-SHA384", () => generateKeyPairSync("ec", { namedCurve: "secp384r1" }).privateKey],
    ["RSA-2048", "sha256WithRSAEncryption", () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey],
  ])("uses the algorithm that goes with %s", async (_, algorithm, make) => {
    const other = await encryptKey(make().export({ format: "der", type: "pkcs8" }), passphrase, { cost });
    expect(openFileSignerSync(other, passphrase).algorithm).toBe(algorithm);
  });

  test("a key that is not an issuer's is refused", async () => {
    const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" });
    const other = await encryptKey(ed25519, passphrase, { cost });
    expect(() => openFileSignerSync(other, passphrase)).toThrow(TypeError);
  });
});

test("with several passphrases, one per line, the first encrypts and each decrypts", async () => {
  const key = Buffer.from("a key that nobody may read");
  const old = await encryptKey(key, "the old passphrase", { cost });
  const fresh = await encryptKey(key, "the new passphrase\nthe old passphrase", { cost });
  expect(await decryptKey(old, "the new passphrase\nthe old passphrase")).toEqual(key);
  expect(await decryptKey(fresh, "the new passphrase")).toEqual(key);
  await expect(decryptKey(fresh, "the old passphrase")).rejects.toThrow(/passphrase is wrong/);
  await expect(decryptKey(fresh, "\n")).rejects.toThrow(/passphrase is wrong/);
});
