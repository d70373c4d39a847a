import { createHmac, hkdfSync, type KeyObject } from "node:crypto";
import type { Deps } from "../../contract/deps.ts";

const keys = new WeakMap<KeyObject, Buffer>();

/** A key for this purpose alone. */
function tokenKey(masterKey: KeyObject): Buffer {
  const known =
    keys.get(masterKey) ?? Buffer.from(hkdfSync("sha256", masterKey.export(), "", "realmpass hand-over", 32));
  keys.set(masterKey, known);
  return known;
}

const tokenOctets = 16;

/** The token of a hand-over: 128 bits that follow from its id, so that it can be shown again and is stored nowhere. */
export const handOverToken = ({ masterKey }: Pick<Deps, "masterKey">, id: string): string => {
  const mac = createHmac("sha256", tokenKey(masterKey)).update(id).digest().subarray(0, tokenOctets);
  return `rph_${mac.toString("base64url")}`;
};
