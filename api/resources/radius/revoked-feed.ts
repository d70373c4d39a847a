import { DatabaseUnavailable } from "../../../db/outage.ts";
import * as revoked from "../../../db/queries/certificates/revoked.ts";
import type { Database } from "../../../db/client.ts";
import type { Log } from "../../../runtime/log.ts";
import type { RevokedFeed } from "../../contract/deps.ts";
import type { ApiMetrics } from "../../http/metrics.ts";

/**
 * The shortest time between two queries for the waiting clients, no matter how many clients wait and how many profiles
 * are revoked.
 */
const readingsApartMs = 250;

/** How often the api queries the database while clients wait, in case a notification is lost. */
const pollMs = 2_000;

interface Waiter {
  window: revoked.SeenWindow;
  wake: () => void;
}

/**
 * Lets clients wait for revocations. One query serves all waiting clients; one listening connection and a slow poll
 * trigger it.
 */
export function createRevokedFeed({ db, log, metrics }: { db: Database; log: Log; metrics: ApiMetrics }): RevokedFeed {
  const waiters = new Set<Waiter>();
  let notices = 0;
  let reading = false;
  let wanted = false;
  let closed = false;
  let lastReadAt = -readingsApartMs;
  let readTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;

  const read = async (): Promise<void> => {
    readTimer = undefined;
    reading = true;
    wanted = false;
    lastReadAt = performance.now();
    const asked = [...waiters];
    try {
      const grown = await revoked.haveGrown(
        db,
        asked.map(({ window }) => window),
      );
      asked.forEach(({ wake }, index) => {
        if (grown[index] === true) wake();
      });
    } catch (error) {
      const err = error instanceof DatabaseUnavailable ? error.cause : error;
      log.warn(
        { event: "revoked_feed.read_failed", err, waiting: asked.length },
        "could not look for revocations that clients wait for",
      );
    } finally {
      reading = false;
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a notice sets it while the database answers
      if (wanted) want();
    }
  };

  const want = (): void => {
    wanted = waiters.size > 0;
    if (!wanted || reading) return;
    readTimer ??= setTimeout(() => void read(), Math.max(lastReadAt + readingsApartMs - performance.now(), 0));
  };

  const enter = (waiter: Waiter): void => {
    waiters.add(waiter);
    metrics.revokedFeedWaiting(waiters.size);
    pollTimer ??= setInterval(want, pollMs);
  };

  const leave = (waiter: Waiter): void => {
    waiters.delete(waiter);
    metrics.revokedFeedWaiting(waiters.size);
    if (waiters.size > 0) return;
    clearInterval(pollTimer);
    clearTimeout(readTimer);
    pollTimer = readTimer = undefined;
  };

  return {
    async wait(asked, waitMs, signal) {
      const noticesBefore = notices;
      const window = await revoked.look(db, asked);
      if (window.isAhead) return "ahead";
      if (window.hasNews || waitMs <= 0 || closed || signal.aborted) return window;

      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(late);
          signal.removeEventListener("abort", wake);
          leave(waiter);
          resolve();
        };
        const waiter: Waiter = { window, wake };
        const late = setTimeout(wake, waitMs);
        signal.addEventListener("abort", wake, { once: true });
        enter(waiter);
        // A notice arrived after the query began, and no other notice will follow for that revocation.
        if (notices !== noticesBefore) want();
      });
      return window;
    },
    notice() {
      notices++;
      want();
    },
    close() {
      closed = true;
      for (const { wake } of waiters) wake();
    },
  };
}
