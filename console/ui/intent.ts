import { useEffect, useSyncExternalStore } from "react";

/** Actions of a page that another page can start, like the page's own buttons. */
export type IntendedDeed = "lock" | "unlock" | "newProfile" | "setUpLink" | "changeRoles" | "revoke";

interface Intent {
  /** The path of the page, relative to the console's path. */
  path: string;
  deed: IntendedDeed;
}

let intended: Intent | undefined;
const watchers = new Set<() => void>();

function set(intent: Intent | undefined): void {
  intended = intent;
  for (const notice of watchers) notice();
}

/**
 * Stores an action, which the page at `path` begins once it is shown. The action is stored only in memory, because a
 * link must never trigger an action.
 */
export const intend = (intent: Intent): void => {
  set(intent);
};

/** Begins, once, the action that another page stored for this page. */
export function useIntent(path: string, deeds: Partial<Record<IntendedDeed, () => void>>): void {
  const intent = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => intended,
  );
  useEffect(() => {
    if (intent?.path !== path) return;
    const act = deeds[intent.deed];
    if (act === undefined) return;
    set(undefined);
    act();
  });
}
