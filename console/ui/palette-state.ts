import { useSyncExternalStore } from "react";

/** The palette while it is open, with what it is to look for at first. */
export interface OpenPalette {
  text: string;
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
