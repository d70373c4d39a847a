import * as installationSecrets from "../../../db/queries/secrets/installation-secrets.ts";
import * as sealedSecrets from "../../../db/queries/secrets/sealed-secrets.ts";
import { recordReplacement } from "../../secrets/replacement.ts";
import { command } from "../command.ts";

export const masterKeyDiscard = command({
  name: "master-key discard",
  about: "For a lost master key: removes what it sealed, and registers the next one. Stop every api first.",
  options: {},
  async run(_, context) {
    const at = context.clock.now();
    const db = await context.db();
    const { realms, guestAccounts } = await db.transaction(async (tx) => {
      await installationSecrets.lock(tx);
      await installationSecrets.forgetAll(tx, "master");
      const discarded = await sealedSecrets.discardSealed(tx, { at });
      await recordReplacement(tx, { secret: "master", checkValue: null, at });
      return discarded;
    });
    return {
      json: { realms, guestAccounts },
      text: [
        "The first api that starts now records its master key. Everybody signs in to the console again.",
        ...realms.map((name) => `The realm ${name} needs its client secret at the identity provider again.`),
        `Guest accounts whose links work and cannot be shown again: ${guestAccounts}.`,
      ].join("\n"),
    };
  },
});
