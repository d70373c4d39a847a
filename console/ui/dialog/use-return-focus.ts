import { useEffect } from "react";

/**
 * Returns the focus after a dialog to the element that had it before, or to the heading if that element is gone, unless
 * another element has taken the focus. The library does so only for dialogs that were mounted while closed; the console
 * loads or mounts its dialogs on demand.
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
  if (!isFocusLost()) return;
  if (before instanceof HTMLElement && before.isConnected && before !== document.body) {
    before.focus({ preventScroll: true });
    return;
  }
  giveLostToHeading();
}

/** Moves the focus to the heading if the component is removed while it has the focus. */
export function useHeadingAfterwards(): void {
  useEffect(
    () => () => {
      setTimeout(giveLostToHeading);
    },
    [],
  );
}

function isFocusLost(): boolean {
  const now = document.activeElement;
  return now === null || now === document.body || now.closest("[role=dialog]") !== null;
}

function giveLostToHeading(): void {
  if (isFocusLost()) document.querySelector("h1")?.focus({ preventScroll: true });
}
