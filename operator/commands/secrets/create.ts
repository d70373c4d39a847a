import { z } from "zod";
import { heldSecret, printedCheckValue, secretKinds } from "../../../runtime/keys/held-secret.ts";
import { option } from "../../../terminal/command.ts";
import { oneOf } from "../../../terminal/inputs.ts";
import { placedSecrets, writeSecrets } from "../../secrets/secrets-directory.ts";
import { command } from "../command.ts";

export const secretsCreate = command({
  name: "secrets create",
  about: "Creates the secrets of an installation, a directory for each process; never overwrites a file.",
  options: {
    dir: option("directory", "where the directories are created: postgres, redis, api, worker, …", z.string().min(1)),
    only: option("kind", "only this kind", oneOf(placedSecrets).optional(), { choices: placedSecrets }),
    from: option(
      "data",
      "a data directory that all processes share, whose secrets they get; it is only read",
      z.string().min(1).optional(),
    ),
  },
  async run({ dir, only, from }) {
    const kinds = only === undefined ? placedSecrets : [only];
    const { files, compared } = writeSecrets({ directory: dir, kinds, from });
    const checkValues: Record<string, string> = {};
    for (const kind of secretKinds) {
      const text = compared[kind];
      if (text !== undefined) checkValues[kind] = printedCheckValue((await heldSecret(kind, text)).checkValues[0]);
    }
    const written = files.length === 0 ? ["Every file already existed."] : files;
    return {
      json: { files, checkValues },
      text: [...written, ...Object.entries(checkValues).map(([kind, value]) => `${kind}: ${value}`)].join("\n"),
    };
  },
});
