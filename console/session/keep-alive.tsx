import { useEffect, useRef } from "react";
import { useExtendSession } from "./session.tsx";

/** The shortest time between two extensions of the session by the user's input. */
const apartMs = 5 * 60_000;

/** Extends the session when the user presses a key or the pointer, even if the page sends no request. */
export function KeepAlive() {
  const extend = useExtendSession();
  const sentAt = useRef(performance.now());
  useEffect(() => {
    const onActivity = () => {
      if (performance.now() - sentAt.current < apartMs) return;
      sentAt.current = performance.now();
      // If the extension fails, the next request fails as well and shows the error.
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
