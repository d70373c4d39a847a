import type { Db } from "../../db/client.ts";
import { decryptKey, EncryptedKeyError } from "../../worker/keys/encrypted-key.ts";
import { CommandError } from "../../terminal/failure.ts";
import * as issuerKeys from "../../db/queries/issuer-keys.ts";

/**
 * Throws if a passphrase does not open the newest issuer key; does nothing if there is no issuer key. Workers use one
 * passphrase for all keys, so a new key under another passphrase (of a fresh data directory, say) could never be used.
 */
export async function checkPassphrase(db: Db, passphrase: string): Promise<void> {
  const record = await issuerKeys.findNewestKey(db);
  if (record === undefined) return;
  try {
    (await decryptKey(record, passphrase)).fill(0);
  } catch (cause) {
    if (!(cause instanceof EncryptedKeyError)) throw cause;
    throw new CommandError(
      "wrong_passphrase",
      "The issuer key passphrase is not the one that the issuers of this installation are encrypted under. Set " +
        "REALMPASS_ISSUER_KEY_PASSPHRASE, or REALMPASS_DATA_DIRECTORY, to what the workers have. When it is lost, make " +
        "another root and issuer under a new one: `issuer create --new-root --passphrase-lost`.",
      { cause },
    );
  }
}
