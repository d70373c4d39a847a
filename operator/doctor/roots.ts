import type { Context } from "../context/context.ts";
import { listRoots } from "../issuer/ceremony-directory.ts";
import { warns, type Check } from "./check.ts";

/** Reports root keys that are still where they were created. */
export async function checkRoots(context: Context): Promise<Check[]> {
  const directory = context.dataDirectory().ceremony;
  return (await context.realms()).flatMap(({ name }) =>
    listRoots({ directory, realm: name }).length === 0
      ? []
      : [
          warns(
            `root-key ${name}`,
            `the root's key is still in ${directory}`,
            "Move it to two media that are kept offline, and its passphrase elsewhere: see docs/secrets.md.",
          ),
        ],
  );
}
