import { useEffect, useRef } from "react";

/**
 * Gives the focus back to where it was before a dialog opened. The library does so only for dialogs that were there
 * before, closed; ours are loaded when they are first asked for.
 */
export function useReturnFocus(opened: boolean): void {
  const before = useRef<Element>(null);
  useEffect(() => {
    const { current: element } = before;
    before.current = opened ? document.activeElement : null;
    if (opened || !(element instanceof HTMLElement)) return;
    const timer = setTimeout(() => {
      element.focus({ preventScroll: true });
    });
    return () => {
      clearTimeout(timer);
    };
  }, [opened]);
}
