import { lazy, Suspense, useSyncExternalStore } from "react";
import { loadPart } from "./load-file.ts";
import type { Undo } from "./undo.ts";

// Only who has something to say pays for it.
const fetchNotices = () => import("./notices.tsx");
const load = () => loadPart(fetchNotices);
const Notices = lazy(load);

let wanted = false;
const watchers = new Set<() => void>();

function show(act: (notices: Awaited<ReturnType<typeof load>>) => void): void {
  wanted = true;
  for (const notice of watchers) notice();
  void load().then(act);
}

/** Says what was done. What can be undone carries the button that undoes it. */
export const notifyDone = (message: string, undo?: Undo): void => {
  show(({ showDone }) => {
    showDone(message, undo);
  });
};

/** Says what was not done. It stays until it is closed. */
export const notifyFailed = (message: string): void => {
  show(({ showFailed }) => {
    showFailed(message);
  });
};

/** Where notices are shown. */
export function NoticeBoard() {
  const shown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => wanted,
  );
  return (
    shown && (
      <Suspense>
        <Notices />
      </Suspense>
    )
  );
}
