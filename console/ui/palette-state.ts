import { useSyncExternalStore } from "react";

export interface OpenPalette {
  /** The text to search for. */
  text: string;
  /** Set if the user pressed Enter: the first result for this text opens once the result is loaded. */
  entered?: { inNewTab: boolean } | undefined;
}

let opened: OpenPalette | undefined;
const watchers = new Set<() => void>();

function set(palette: OpenPalette | undefined): void {
  opened = palette;
  for (const notice of watchers) notice();
}

export const openPalette = (text = ""): void => {
  set({ text });
};

/** Changes the open palette. A new text cancels an earlier Enter. */
export const changePalette = (change: Partial<OpenPalette>): void => {
  if (opened !== undefined) set({ ...opened, ...(change.text !== undefined && { entered: undefined }), ...change });
};

export const closePalette = (): void => {
  set(undefined);
};

export const usePalette = (): OpenPalette | undefined =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => opened,
  );
