import * as chain from "../../../db/queries/audit/audit-seals.ts";
import { auditPublicKey, createHeadVerifier } from "../../../runtime/keys/audit-key.ts";
import { command } from "../command.ts";
import { CommandError } from "../../../terminal/failure.ts";
import { lines } from "../views.ts";

export const auditHead = command({
  name: "audit head",
  about: "Shows the signed end of a realm's audit log and the public key. Keep both elsewhere for `audit verify`.",
  options: {},
  async run(_, context) {
    const { id, name } = await context.realm();
    const key = context.auditKey();
    const verifier = await createHeadVerifier(key);
    const row = await chain.latestHead(await context.db(), id);
    if (row === undefined) {
      throw new CommandError(
        "nothing_sealed",
        `Nothing of the realm ${name} is sealed yet; workers do it within seconds.`,
      );
    }
    const head = await verifier.verify(row.signature);
    if (head?.realm !== id || head.position !== row.position || head.hash !== row.hash) {
      throw new CommandError(
        "head_forged",
        `The audit log of the realm ${name} ends with a head that was not signed with our key. Run \`audit verify\`.`,
      );
    }
    const json = {
      realm: Number(id),
      position: head.position,
      hash: head.hash,
      sealedAt: head.sealedAt,
      head: row.signature,
      publicKey: auditPublicKey(key),
    };
    return { json, text: lines(json) };
  },
});
