import { useEffect } from "react";

/**
 * Gives the focus back to where it was before a dialog opened, or to the heading when that has gone. The library does so
 * only for dialogs that were there before, closed; the console's are loaded or made when they are first asked for.
 */
export function useReturnFocus(opened = true): void {
  useEffect(() => {
    if (!opened) return undefined;
    const before = document.activeElement;
    return () => {
      setTimeout(() => {
        giveBackTo(before);
      });
    };
  }, [opened]);
}

function giveBackTo(before: Element | null): void {
  if (before instanceof HTMLElement && before.isConnected && before !== document.body) {
    before.focus({ preventScroll: true });
    return;
  }
  giveLostToHeading();
}

/** Gives the focus to the heading when what uses this goes, and took it along. */
export function useHeadingAfterwards(): void {
  useEffect(
    () => () => {
      setTimeout(giveLostToHeading);
    },
    [],
  );
}

function giveLostToHeading(): void {
  const now = document.activeElement;
  const isLost = now === null || now === document.body || now.closest("[role=dialog]") !== null;
  if (isLost) document.querySelector("h1")?.focus({ preventScroll: true });
}
