import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type RefObject } from "react";

interface Anchor {
  ref: RefObject<HTMLDivElement | null>;
  id: string | undefined;
  tabIndex: -1;
}

/**
 * Makes an element the target of addresses with `#id`. Such an address scrolls to the element and focuses it, even if
 * the element is loaded later.
 */
export function useAnchor(id: string | undefined): Anchor {
  const ref = useRef<HTMLDivElement>(null);
  // Every navigation creates a new state, even to the same address.
  const { hash, state } = useLocation();
  useEffect(() => {
    if (id === undefined || hash !== id) return;
    ref.current?.scrollIntoView();
    ref.current?.focus({ preventScroll: true });
  }, [hash, state, id]);
  return { ref, id, tabIndex: -1 };
}
