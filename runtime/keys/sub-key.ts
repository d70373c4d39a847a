import { hkdfSync, type KeyObject } from "node:crypto";
import type { MasterKeys } from "./master-key.ts";

/** The purposes of derived keys. The labels must not change: forms and links that are in use must survive an upgrade. */
const labels = {
  attemptCounter: "realmpass guesses",
  formToken: "realmpass form token",
  handOver: "realmpass hand-over",
  shortCode: "realmpass short code",
  guestCode: "realmpass guest code",
  checkValue: "realmpass check value",
} as const;

const derived = new WeakMap<KeyObject, Map<string, Buffer>>();

/** Derives the 32-byte key for one purpose from the first master key (HKDF, RFC 5869, with SHA-256). */
export const subKey = ([first]: MasterKeys, purpose: keyof typeof labels): Buffer => derive(first, purpose);

/** Derives the key for a purpose from every master key, for data made under an earlier master key. */
export const subKeys = (masterKeys: MasterKeys, purpose: keyof typeof labels): Buffer[] =>
  masterKeys.map((key) => derive(key, purpose));

function derive(masterKey: KeyObject, purpose: keyof typeof labels): Buffer {
  const known = derived.get(masterKey) ?? new Map<string, Buffer>();
  derived.set(masterKey, known);
  const key = known.get(purpose) ?? Buffer.from(hkdfSync("sha256", masterKey.export(), "", labels[purpose], 32));
  known.set(purpose, key);
  return key;
}
