import * as issuerKeys from "../../../db/queries/issuer-keys.ts";
import { decryptKey, encryptKey, EncryptedKeyError } from "../../../worker/keys/encrypted-key.ts";
import { recordReplacement } from "../../secrets/replacement.ts";
import { command } from "../command.ts";

export const issuerReencrypt = command({
  name: "issuer reencrypt",
  about:
    "Encrypts the keys of all issuers under the first line of REALMPASS_ISSUER_KEY_PASSPHRASE (new, then old). Safe to run again.",
  options: {},
  async run(_, context) {
    const at = context.clock.now();
    const passphrase = await context.passphrase();
    const db = await context.db();
    const reencrypted: string[] = [];
    const unopened: string[] = [];
    for (const { issuerId, encryptedKey } of await issuerKeys.listKeys(db)) {
      const key = await decryptKey(encryptedKey, passphrase).catch((error: unknown) => {
        if (error instanceof EncryptedKeyError) return undefined;
        throw error;
      });
      if (key === undefined) {
        unopened.push(issuerId);
        continue;
      }
      try {
        const again = await encryptKey(key, passphrase, { cost: context.costs.key });
        await issuerKeys.replaceKey(db, { issuerId, encryptedKey: again });
        reencrypted.push(issuerId);
      } finally {
        key.fill(0);
      }
    }
    await db.transaction((tx) => recordReplacement(tx, { secret: "issuer-key-passphrase", checkValue: null, at }));
    return {
      json: { reencrypted, unopened },
      text: [
        `Encrypted again: ${reencrypted.join(", ") || "none"}.`,
        ...(unopened.length === 0 ? [] : [`Not opened by any of the passphrases: ${unopened.join(", ")}.`]),
      ].join("\n"),
      failed: unopened.length > 0,
    };
  },
});
