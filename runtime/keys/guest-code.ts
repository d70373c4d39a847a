import { createHmac } from "node:crypto";
import { codeOfOctets, guestCodeLength } from "../../domain/certificate/short-code.ts";
import type { MasterKeys } from "./master-key.ts";
import { subKey, subKeys } from "./sub-key.ts";

/**
 * Returns the code of a guest account, `XXXX-XXXX-XXXX`: derived from the account's token, so it stays the same under a
 * new master key and is stored nowhere.
 */
export const guestCodeOf = (token: string): string =>
  codeOfOctets(createHmac("sha256", token).update("realmpass guest code").digest().subarray(0, guestCodeLength));

/**
 * Returns the hash of a guest account's code. The hash is keyed, because an attacker could try all codes of 60 bits
 * against a plain hash.
 */
export const hashOfGuestCode = (masterKeys: MasterKeys, code: string): Buffer =>
  hashUnder(subKey(masterKeys, "guestCode"), code);

/** Returns the hashes under which a code can be stored: one for each master key. */
export const hashesOfGuestCode = (masterKeys: MasterKeys, code: string): Buffer[] =>
  subKeys(masterKeys, "guestCode").map((key) => hashUnder(key, code));

const hashUnder = (key: Buffer, code: string): Buffer => createHmac("sha256", key).update(code).digest();
