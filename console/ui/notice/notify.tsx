import { lazy, Suspense, useSyncExternalStore } from "react";
import { loadPart } from "../load-file.ts";
import type { Undo } from "./undo.ts";

// Loaded with the first notice.
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

/** Shows that an action is done, with an undo button if it can be undone. */
export const notifyDone = (message: string, undo?: Undo): void => {
  show(({ showDone }) => {
    showDone(message, undo);
  });
};

/** Shows that an action failed. The notice stays until the user closes it. */
export const notifyFailed = (message: string): void => {
  show(({ showFailed }) => {
    showFailed(message);
  });
};

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
