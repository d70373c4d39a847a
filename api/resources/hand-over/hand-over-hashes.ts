import type { Deps } from "../../contract/deps.ts";
import { hashOfToken } from "../../../runtime/keys/secret-token.ts";
import { handOverToken } from "./hand-over-token.ts";
import { hashOfShortCode, shortCodeOf } from "./short-code.ts";

/** Returns the hashes to store for the link and the short code of a new hand-over. */
export const hashesOfHandOver = (
  deps: Pick<Deps, "masterKeys">,
  id: string,
): { tokenHash: Buffer; codeHash: Buffer } => ({
  tokenHash: hashOfToken(handOverToken(deps, id)),
  codeHash: hashOfShortCode(deps, shortCodeOf(deps, { id, codeHash: null })),
});
