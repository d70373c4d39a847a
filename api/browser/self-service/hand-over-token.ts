import { createHmac } from "node:crypto";
import type { Deps } from "../../contract/deps.ts";
import { subKey } from "../../../runtime/sub-key.ts";

const tokenOctets = 16;

/** The token of a hand-over: 128 bits that follow from its id, so that it can be shown again and is stored nowhere. */
export const handOverToken = ({ masterKey }: Pick<Deps, "masterKey">, id: string): string => {
  const mac = createHmac("sha256", subKey(masterKey, "handOver")).update(id).digest().subarray(0, tokenOctets);
  return `rph_${mac.toString("base64url")}`;
};
