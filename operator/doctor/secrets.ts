import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Db } from "../../db/client.ts";
import * as secrets from "../../db/operations/secrets.ts";
import * as installationSecrets from "../../db/queries/secrets/installation-secrets.ts";
import { secretFiles, type SecretName } from "../../runtime/keys/data-directory.ts";
import { heldSecret, printedCheckValue, secretKinds, type SecretKind } from "../../runtime/keys/held-secret.ts";
import type { Context } from "../context/context.ts";
import { fails, passes, type Check } from "./check.ts";

/** The secrets of each kind that the operator may have, in search order. */
const heldByOperator: Readonly<Record<SecretKind, readonly SecretName[]>> = {
  master: ["masterKey"],
  output: ["outputPublicKey", "outputPrivateKey"],
  audit: ["auditPublicKey", "auditKey"],
};

/**
 * Checks that the secrets found on this machine are the installation's, and that no secret is where it should not be.
 */
export async function checkSecrets(db: Db, context: Context): Promise<Check[]> {
  const decoys = findDecoys(context);
  return [
    await compare(db, context),
    ...(decoys.length === 0
      ? []
      : [
          fails(
            "secret-files",
            `an api or a responder has secrets that only others need: ${decoys.join(", ")}`,
            "Remove these files, and replace a secret that an api could read: see docs/secrets.md.",
          ),
        ]),
  ];
}

async function compare(db: Db, { config }: Context): Promise<Check> {
  const rows = await installationSecrets.list(db);
  const equal: string[] = [];
  const others: string[] = [];
  for (const kind of secretKinds) {
    const known = rows.filter((row) => row.kind === kind).map(({ checkValue }) => printedCheckValue(checkValue));
    const [name] = heldByOperator[kind].filter((each) => secrets.findSecret(config, each) !== undefined);
    const text = name && secrets.findSecret(config, name);
    if (name === undefined || text === undefined || known.length === 0) continue;
    const values = await checkValuesOf(kind, text);
    if (values.some((value) => known.includes(value))) equal.push(`${kind} ${known.join(" and ")}`);
    else others.push(secretFiles[name].variable);
  }
  if (others.length > 0) {
    return fails(
      "secrets",
      `not those of this installation: ${others.join(", ")}`,
      "Give the operator the secrets of the other processes; if all are wrong, `secrets adopt` adds a new one.",
    );
  }
  return passes(
    "secrets",
    equal.length === 0 ? "there is none here to compare" : `those here are the installation's: ${equal.join(", ")}`,
  );
}

/** Returns the check values of a secret; an empty list if the text is not a secret of this kind. */
async function checkValuesOf(kind: SecretKind, text: string): Promise<string[]> {
  try {
    return (await heldSecret(kind, text)).checkValues.map(printedCheckValue);
  } catch {
    return [];
  }
}

const decoyFiles = [
  secretFiles.issuerKeyPassphrase.file,
  secretFiles.rootKeyPassphrase.file,
  secretFiles.auditKey.file,
  "ceremony",
] as const;

/** Finds misplaced secrets in the directories next to the operator's own, as `secrets create` lays them out. */
function findDecoys(context: Context): string[] {
  const { path } = context.dataDirectory();
  if (basename(path) !== "operator") return [];
  return ["api", "responder"]
    .flatMap((directory) => decoyFiles.map((file) => join(path, "..", directory, file)))
    .filter((file) => existsSync(file));
}
