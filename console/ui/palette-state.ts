import { useSyncExternalStore } from "react";

/** The palette while it is open. */
export interface OpenPalette {
  /** What is looked for. */
  text: string;
  /** Enter was pressed: what is found first for this text is opened once it is known. */
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

/** Changes the open palette. Another text is not the one that Enter was pressed for. */
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
