import { calculateJwkThumbprint } from "jose";
import { auditPublicKeys } from "./audit-key.ts";
import { secretFiles } from "./data-directory.ts";
import { masterKeys, openUnderMasterKey, type MasterKeys } from "./master-key.ts";
import { outputPublicJwks, type PublicJwk } from "./sealed-output.ts";
import { subKeys } from "./sub-key.ts";
import type { Variable } from "../config/variables.ts";

/**
 * The kinds of secret that several processes of an installation share. Processes compare their secrets by check values.
 */
export const secretKinds = ["master", "output", "audit"] as const;
export type SecretKind = (typeof secretKinds)[number];

/** A secret that a process holds, described without revealing it. */
export interface HeldSecret {
  kind: SecretKind;
  /** The variable that sets the secret, for messages. */
  variable: Variable;
  /** One check value for each value that the process holds; the process works with the first. */
  checkValues: readonly [Buffer, ...Buffer[]];
  /** The public half of the first value; null if other processes need none. */
  publicJwk: PublicJwk | null;
  /** Returns whether one of the master keys opens sealed data in its context; only for the master key. */
  opens?: (sealed: Uint8Array, context: string) => boolean;
}

const checkValueOctets = 8;

/** Describes the master keys of a configuration. Their check values are 8 octets derived from them (HKDF-SHA-256). */
export function heldMasterKey(keys: MasterKeys): HeldSecret {
  const [first, ...others] = subKeys(keys, "checkValue").map((key) => key.subarray(0, checkValueOctets));
  return {
    kind: "master",
    variable: secretFiles.masterKey.variable,
    checkValues: listOf(first, others),
    publicJwk: null,
    opens(sealed, context) {
      try {
        openUnderMasterKey(keys, sealed, context).fill(0);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Describes the output keys of a configuration, from either half. Their check values are thumbprints (RFC 7638). */
export async function heldOutputKey(json: string, half: "outputPrivateKey" | "outputPublicKey"): Promise<HeldSecret> {
  const jwks = outputPublicJwks(json);
  return {
    kind: "output",
    variable: secretFiles[half].variable,
    checkValues: await thumbprintsOf(jwks),
    publicJwk: jwks[0],
  };
}

/** Describes the audit keys of a configuration, from either half. Their check values are thumbprints (RFC 7638). */
export const heldAuditKey = async (json: string): Promise<HeldSecret> => ({
  kind: "audit",
  variable: secretFiles.auditKey.variable,
  checkValues: await thumbprintsOf(auditPublicKeys(json)),
  publicJwk: null,
});

/** Describes the secret of a kind, from the text of its variable or file. Throws if the secret cannot be used. */
export function heldSecret(kind: SecretKind, text: string): Promise<HeldSecret> {
  if (kind === "master") return Promise.resolve(heldMasterKey(masterKeys(text)));
  return kind === "output" ? heldOutputKey(text, "outputPublicKey") : heldAuditKey(text);
}

/** Returns a check value in the form that commands print and accept. */
export const printedCheckValue = (checkValue: Uint8Array): string => Buffer.from(checkValue).toString("hex");

async function thumbprintsOf(jwks: readonly PublicJwk[]): Promise<readonly [Buffer, ...Buffer[]]> {
  const [first, ...others] = await Promise.all(
    jwks.map(async (jwk) => Buffer.from(await calculateJwkThumbprint({ ...jwk }), "base64url")),
  );
  return listOf(first, others);
}

function listOf(first: Buffer | undefined, others: readonly Buffer[]): readonly [Buffer, ...Buffer[]] {
  if (first === undefined) throw new Error("a secret has at least one value");
  return [first, ...others];
}
