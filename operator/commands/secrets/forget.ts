import { z } from "zod";
import * as installationSecrets from "../../../db/queries/secrets/installation-secrets.ts";
import { printedCheckValue, secretKinds } from "../../../runtime/keys/held-secret.ts";
import { argument } from "../../../terminal/command.ts";
import { CommandError } from "../../../terminal/failure.ts";
import { oneOf } from "../../../terminal/inputs.ts";
import { recordReplacement } from "../../secrets/replacement.ts";
import { command } from "../command.ts";

export const secretsForget = command({
  name: "secrets forget",
  about: "Removes a registered secret: processes without another one end, or do not start.",
  arguments: {
    kind: argument("KIND", secretKinds.join(", "), oneOf(secretKinds), { choices: secretKinds }),
    value: argument("VALUE", "its check value, as `secrets create`, `secrets adopt` and `doctor` print it", z.hex()),
  },
  options: {},
  async run({ kind, value }, context) {
    const at = context.clock.now();
    const db = await context.db();
    await db.transaction(async (tx) => {
      await installationSecrets.lock(tx);
      const values = (await installationSecrets.list(tx)).filter((row) => row.kind === kind);
      const known = values.map(({ checkValue }) => printedCheckValue(checkValue));
      if (!known.includes(value.toLowerCase())) {
        throw new CommandError(
          "secret_not_found",
          `The installation has no secret of the kind ${kind} with this check value; it has ${known.join(", ") || "none"}.`,
        );
      }
      // Without a known secret, the next process would register its own secret as the first.
      if (known.length === 1) {
        throw new CommandError(
          "secret_in_use",
          `It is the only secret of the kind ${kind}; adopt its successor first.`,
        );
      }
      await installationSecrets.forget(tx, { kind, checkValue: Buffer.from(value, "hex") });
      await recordReplacement(tx, { secret: kind, checkValue: value.toLowerCase(), forgotten: true, at });
    });
    return {
      json: { secret: kind, forgotten: value.toLowerCase() },
      text: `${kind}: ${value.toLowerCase()} is forgotten.`,
    };
  },
});
