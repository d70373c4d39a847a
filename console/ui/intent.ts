import { useEffect, useSyncExternalStore } from "react";

/** Actions that another page can start here, as the page's own buttons do. */
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
 * Asks the page at a path to begin an action once it is shown. Kept only in memory, because a link must never trigger
 * an action.
 */
export const intend = (intent: Intent): void => {
  set(intent);
};

/** Begins the action that this page was asked for, once. */
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
