/** Something that was opened from the palette. */
export interface Recent {
  key: string;
  label: string;
  detail?: string;
  /** Below the console's own address. */
  path: string;
}

const recentMax = 6;

/** In this tab alone, and until somebody signs out: names are not left on a machine that others use. */
const storageKey = "realmpass-recent";

/** What this person opened last, the newest first. */
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
