import { z } from "zod";
import { option } from "../../../terminal/command.ts";
import { replaceRootKey, readRootKey } from "../../issuer/ceremony-directory.ts";
import { command } from "../command.ts";

export const rootRewrap = command({
  name: "root rewrap",
  about:
    "Encrypts the key of a root under the passphrase of roots (REALMPASS_ROOT_KEY_PASSPHRASE, its first line). Copies of the file stay as they are.",
  options: { rootKey: option("file", "the root's encrypted key, which is replaced", z.string().min(1)) },
  async run({ rootKey }, context) {
    const { decryptKey, encryptKey } = await import("../../../worker/keys/encrypted-key.ts");
    const record = readRootKey(rootKey);
    const passphrase = await context.rootPassphrase();
    const key = await decryptKey(record, await context.rootPassphrases());
    try {
      replaceRootKey(rootKey, await encryptKey(key, passphrase, { cost: context.costs.key }));
    } finally {
      key.fill(0);
    }
    return { json: { rootKey }, text: `${rootKey} is encrypted under the passphrase of roots.` };
  },
});
