import { createPrivateKey, createPublicKey, createSign, sign } from "node:crypto";
import { decryptKey, decryptKeySync } from "./encrypted-key.ts";
import { signatureAlgorithmFor, signatureAlgorithms } from "../../pki/algorithms.ts";
import type { Signer } from "../../pki/signer.ts";

/**
 * Opens a signer from an encrypted key record. Throws EncryptedKeyError (wrong passphrase, malformed record) and
 * TypeError (a key that is not an issuer's).
 */
export async function openFileSigner(record: unknown, passphrase: string): Promise<Signer> {
  return signerOf(await decryptKey(record, passphrase));
}

/** Does the same as {@link openFileSigner}, but blocks the thread while it derives the key. */
export function openFileSignerSync(record: unknown, passphrase: string): Signer {
  return signerOf(decryptKeySync(record, passphrase));
}

/**
 * Makes a signer from the key, and wipes the given bytes. Uses a KeyObject, because parsing the key on each call costs
 * as much as ten signatures.
 */
function signerOf(privateKeyPkcs8: Buffer): Signer {
  try {
    const key = createPrivateKey({ key: privateKeyPkcs8, format: "der", type: "pkcs8" });
    const algorithm = signatureAlgorithmFor(key);
    const { hash } = signatureAlgorithms[algorithm];
    return {
      algorithm,
      publicKeySpki: createPublicKey(key).export({ format: "der", type: "spki" }),
      sign: (toBeSigned) => sign(hash, toBeSigned, key),
      signInParts() {
        const signing = createSign(hash);
        return { update: (part) => void signing.update(part), finish: () => signing.sign(key) };
      },
    };
  } finally {
    privateKeyPkcs8.fill(0);
  }
}
