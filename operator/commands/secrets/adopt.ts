import { readFileSync } from "node:fs";
import { z } from "zod";
import * as installationSecrets from "../../../db/queries/secrets/installation-secrets.ts";
import {
  heldSecret,
  printedCheckValue,
  secretKinds,
  type HeldSecret,
  type SecretKind,
} from "../../../runtime/keys/held-secret.ts";
import { argument, option } from "../../../terminal/command.ts";
import { CommandError } from "../../../terminal/failure.ts";
import { oneOf } from "../../../terminal/inputs.ts";
import { recordReplacement } from "../../secrets/replacement.ts";
import { command } from "../command.ts";

export const secretsAdopt = command({
  name: "secrets adopt",
  about: "Registers a secret of this kind: processes with it may start.",
  arguments: { kind: argument("KIND", secretKinds.join(", "), oneOf(secretKinds), { choices: secretKinds }) },
  options: { from: option("file", "the secret, as its process reads it", z.string().min(1)) },
  async run({ kind, from }, context) {
    const held = await readHeld(kind, from);
    const checkValue = printedCheckValue(held.checkValues[0]);
    const at = context.clock.now();
    const db = await context.db();
    await db.transaction(async (tx) => {
      await installationSecrets.lock(tx);
      await installationSecrets.add(tx, held, { at });
      await recordReplacement(tx, { secret: kind, checkValue, at });
    });
    return { json: { secret: kind, checkValue }, text: `${kind}: ${checkValue}` };
  },
});

/** Reads the secret in a file. Error messages never quote the file's content. */
async function readHeld(kind: SecretKind, file: string): Promise<HeldSecret> {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new CommandError("file_unreadable", `Cannot read ${file} (${code}).`);
  }
  try {
    return await heldSecret(kind, text);
  } catch (cause) {
    throw new CommandError("secret_unusable", `${file} holds no secret of the kind ${kind}.`, { cause });
  }
}
