import type { Database } from "../../../db/client.ts";
import * as installationSecrets from "../../../db/queries/secrets/installation-secrets.ts";
import * as sealedSecrets from "../../../db/queries/secrets/sealed-secrets.ts";
import type { SealedTable } from "../../../db/queries/secrets/sealed-secrets.ts";
import { heldMasterKey, printedCheckValue } from "../../../runtime/keys/held-secret.ts";
import { guestCodeOf, hashOfGuestCode } from "../../../runtime/keys/guest-code.ts";
import {
  MasterKeyError,
  openUnderMasterKey,
  sealUnderMasterKey,
  type MasterKeys,
} from "../../../runtime/keys/master-key.ts";
import { flag } from "../../../terminal/command.ts";
import { isSet } from "../../../terminal/inputs.ts";
import { recordReplacement } from "../../secrets/replacement.ts";
import { command } from "../command.ts";

/** The most rows locked at the same time. */
const sliceRows = 1_000;

export const masterKeyReseal = command({
  name: "master-key reseal",
  about:
    "Seals long-lived secrets under the first master key in REALMPASS_MASTER_KEY (new,old), and registers that key. Safe to run again.",
  options: {
    leaked: flag(
      "somebody may have the earlier key: end the keys that sign tokens at once, and list the secrets that people must replace",
      isSet,
    ),
  },
  async run({ leaked }, context) {
    const at = context.clock.now();
    const keys = await context.masterKeys();
    const db = await context.db();
    const held = heldMasterKey(keys);
    const checkValue = printedCheckValue(held.checkValues[0]);
    await db.transaction(async (tx) => {
      await installationSecrets.lock(tx);
      await installationSecrets.add(tx, held, { at });
      if (leaked) await sealedSecrets.retireTokenKeys(tx, { leaked, at });
      await recordReplacement(tx, { secret: "master", checkValue, at });
    });

    const counts = { resealed: 0, unopened: 0 };
    for (const table of sealedSecrets.sealedTables) {
      const { resealed, unopened } = await resealTable(db, table, keys);
      counts.resealed += resealed;
      counts.unopened += unopened;
    }
    const replace = leaked ? await sealedSecrets.listReplaceable(db, { at }) : undefined;
    return {
      json: { checkValue, ...counts, ...(replace && { replace }) },
      text: [
        `master: ${checkValue}`,
        `Sealed again: ${counts.resealed}.`,
        ...(counts.unopened === 0 ? [] : [`Not opened by any of the keys: ${counts.unopened}.`]),
        ...(replace === undefined ? [] : toReplace(replace)),
      ].join("\n"),
      failed: counts.unopened > 0,
    };
  },
});

/**
 * Reseals a table slice by slice, so other transactions do not wait long. Rows that the first key opens are already
 * resealed.
 */
async function resealTable(
  db: Database,
  table: SealedTable,
  keys: MasterKeys,
): Promise<{ resealed: number; unopened: number }> {
  const counts = { resealed: 0, unopened: 0 };
  for (let after: string | undefined; ;) {
    const rows = await db.transaction(async (tx) => {
      const slice = await sealedSecrets.lockSlice(tx, { table, after, limit: sliceRows });
      for (const { key, sealed, context } of slice) {
        if (opens([keys[0]], sealed, context) !== undefined) continue;
        const opened = opens(keys, sealed, context);
        if (opened === undefined) {
          counts.unopened++;
          continue;
        }
        // A printed code outlives the key that made its hash, so the hash is made again under the new key.
        const codeHash =
          table === "guest_accounts" ? hashOfGuestCode(keys, guestCodeOf(opened.toString("utf8"))) : null;
        await sealedSecrets.replace(tx, { table, key, sealed: sealUnderMasterKey(keys, opened, context), codeHash });
        opened.fill(0);
        counts.resealed++;
      }
      return slice;
    });
    after = rows.at(-1)?.key;
    if (rows.length < sliceRows) return counts;
  }
}

function opens(keys: MasterKeys, sealed: Uint8Array, context: string): Buffer | undefined {
  try {
    return openUnderMasterKey(keys, sealed, context);
  } catch (error) {
    if (error instanceof MasterKeyError) return undefined;
    throw error;
  }
}

const toReplace = ({ guestAccounts, realms }: Awaited<ReturnType<typeof sealedSecrets.listReplaceable>>): string[] => [
  "To be replaced by hand:",
  ...realms.map((name) => `  the client secret at the identity provider of the realm ${name}`),
  ...guestAccounts.map(
    ({ realm, id, name }) => `  the link of the guest account ${id} of the realm ${realm} (${name})`,
  ),
];
