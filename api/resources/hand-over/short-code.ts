import { createHmac } from "node:crypto";
import { codeOfOctets, shortCodeLength } from "../../../domain/certificate/short-code.ts";
import { subKey, subKeys } from "../../../runtime/keys/sub-key.ts";
import type { Deps } from "../../contract/deps.ts";

type CodeDeps = Pick<Deps, "masterKeys">;

/**
 * Returns the short code of a hand-over, `XXXX-XXXX`: derived from its id, so it can be shown again and is stored
 * nowhere. A stored hash selects the master key that the code was derived from.
 */
export function shortCodeOf(
  { masterKeys }: CodeDeps,
  { id, codeHash }: { id: string; codeHash: Buffer | null },
): string {
  const made = subKeys(masterKeys, "shortCode").map((key) => ({ key, code: codeUnder(key, id) }));
  const found = codeHash && made.find(({ key, code }) => hashUnder(key, code).equals(codeHash));
  return found?.code ?? codeUnder(subKey(masterKeys, "shortCode"), id);
}

/** Returns the hash of a new short code. The hash is keyed, because a plain hash of 40 bits can be searched. */
export const hashOfShortCode = ({ masterKeys }: CodeDeps, code: string): Buffer =>
  hashUnder(subKey(masterKeys, "shortCode"), code);

/** Returns the possible stored hashes of a short code: one for each master key. */
export const hashesOfShortCode = ({ masterKeys }: CodeDeps, code: string): Buffer[] =>
  subKeys(masterKeys, "shortCode").map((key) => hashUnder(key, code));

const macOf = (key: Buffer, purpose: "code" | "hash", text: string): Buffer =>
  createHmac("sha256", key).update(`${purpose}\n${text}`).digest();

const codeUnder = (key: Buffer, id: string): string =>
  codeOfOctets(macOf(key, "code", id).subarray(0, shortCodeLength));

const hashUnder = (key: Buffer, code: string): Buffer => macOf(key, "hash", code);
