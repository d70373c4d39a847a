/** The methods of the browser's storage that drafts use. */
export interface DraftStore {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
  key: (index: number) => string | null;
  readonly length: number;
}

/** Drafts stay in this tab, until the user signs out: no input remains on a shared computer. */
const prefix = "realmpass-draft";

const keysOf = (userID: string): string => `${prefix} ${userID} `;

/** Returns the form input that the user neither sent nor discarded; undefined if there is none. */
export function draftOf(store: DraftStore, userID: string, form: string): unknown {
  try {
    return JSON.parse(store.getItem(keysOf(userID) + form) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a form's input for this user; deletes the stored input if `input` is undefined. */
export function keepDraft(store: DraftStore, userID: string, form: string, input: unknown): void {
  const key = keysOf(userID) + form;
  if (input === undefined) {
    store.removeItem(key);
    return;
  }
  try {
    store.setItem(key, JSON.stringify(input));
  } catch {
    // The input exceeds the browser's storage, but is still in the form.
  }
}

/** Deletes all drafts, or all drafts except those of one user. */
export function forgetDrafts(store: DraftStore, { exceptOf }: { exceptOf?: string } = {}): void {
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? "");
  for (const key of keys) {
    const isKept = exceptOf !== undefined && key.startsWith(keysOf(exceptOf));
    if (key.startsWith(`${prefix} `) && !isKept) store.removeItem(key);
  }
}
