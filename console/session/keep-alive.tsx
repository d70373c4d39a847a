import { useEffect, useRef } from "react";
import { useExtendSession } from "./session.tsx";

/** The shortest time between two extensions of the session by the user's input. */
const apartMs = 5 * 60_000;

/** Extends the session when the user presses a key or the pointer, even without a request. */
export function KeepAlive() {
  const extend = useExtendSession();
  const toldAt = useRef(performance.now());
  useEffect(() => {
    const onActivity = () => {
      if (performance.now() - toldAt.current < apartMs) return;
      toldAt.current = performance.now();
      // If this fails, the next request fails too and shows the error.
      extend().catch(() => undefined);
    };
    addEventListener("pointerdown", onActivity);
    addEventListener("keydown", onActivity);
    return () => {
      removeEventListener("pointerdown", onActivity);
      removeEventListener("keydown", onActivity);
    };
  });
  return null;
}
