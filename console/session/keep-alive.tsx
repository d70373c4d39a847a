import { useEffect, useRef } from "react";
import { useExtendSession } from "./session.tsx";

/** Input shows that the user is there; it extends the session this often, at most. */
const apartMs = 5 * 60_000;

/** Keeps the session alive while somebody is there, reading included. */
export function KeepAlive() {
  const extend = useExtendSession();
  const toldAt = useRef(performance.now());
  useEffect(() => {
    const onActivity = () => {
      if (performance.now() - toldAt.current < apartMs) return;
      toldAt.current = performance.now();
      // What fails here fails again, and says so, when something is asked for.
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
