import { createHmac } from "node:crypto";
import type { Deps } from "../../contract/deps.ts";
import { hashOfToken } from "../../../runtime/keys/secret-token.ts";
import { subKey, subKeys } from "../../../runtime/keys/sub-key.ts";

const tokenOctets = 16;

/**
 * Returns the token of a new hand-over: 128 bits derived from its id, so it can be shown again and is stored nowhere.
 */
export const handOverToken = ({ masterKeys }: Pick<Deps, "masterKeys">, id: string): string =>
  tokenUnder(subKey(masterKeys, "handOver"), id);

/** Returns the token of an existing hand-over, derived from the master key that its stored hash fits. */
export function tokenOfHandOver(
  { masterKeys }: Pick<Deps, "masterKeys">,
  { id, tokenHash }: { id: string; tokenHash: Buffer },
): string {
  const tokens = subKeys(masterKeys, "handOver").map((key) => tokenUnder(key, id));
  return tokens.find((token) => hashOfToken(token).equals(tokenHash)) ?? handOverToken({ masterKeys }, id);
}

function tokenUnder(key: Buffer, id: string): string {
  const mac = createHmac("sha256", key).update(id).digest().subarray(0, tokenOctets);
  return `rph_${mac.toString("base64url")}`;
}
