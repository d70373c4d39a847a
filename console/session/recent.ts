/** An entry that the user opened from the palette. */
export interface Recent {
  key: string;
  label: string;
  detail?: string;
  /** Relative to the console's path. */
  path: string;
}

const recentMax = 6;

/** Stored for this tab only, until the user signs out, so no names remain on a shared computer. */
const storageKey = "realmpass-recent";

/** Returns the entries that this user opened last, the newest first. */
export function recentOf(userID: string): Recent[] {
  const kept = JSON.parse(sessionStorage.getItem(storageKey) ?? "{}") as { userID?: string; recent?: Recent[] };
  return kept.userID === userID ? (kept.recent ?? []) : [];
}

export function remember(userID: string, { key, label, detail = "", path }: Recent): void {
  const others = recentOf(userID).filter((one) => one.key !== key);
  const recent = [{ key, label, detail, path }, ...others].slice(0, recentMax);
  sessionStorage.setItem(storageKey, JSON.stringify({ userID, recent }));
}

export function forgetRecent(): void {
  sessionStorage.removeItem(storageKey);
}
