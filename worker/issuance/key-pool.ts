import type { KeyPair } from "../../pki/key-pair.ts";

export interface KeyPool {
  /** Number of parked keys. */
  readonly size: number;
  /**
   * Returns a key that no other call gets and that the caller wipes. Returns undefined if no key is parked; the caller
   * then makes a key itself.
   */
  take(): KeyPair | undefined;
  /** Begins to fill the pool and keeps it filled until `close`. */
  start(): void;
  /** Stops permanently, waits for a key that is being made, and wipes everything parked. */
  close(): Promise<void>;
}

export interface KeyPoolOptions {
  keyType: "rsa-2048";
  /** Number of keys to keep parked. */
  target: number;
  /** Whether signing is idle. Checked before each key, because making a key takes 240 to 320 ms of a core. */
  isIdle: () => boolean;
  log?: { warn(fields: object, message: string): void };
  generate: () => Promise<KeyPair>;
}

/** Pause before asking a busy process again, in milliseconds. */
const busyPause = 50;
/** Pause after a key could not be made, in milliseconds. */
const failurePause = 5_000;

/**
 * A pool of RSA keys in this process's memory, with which RSA profiles are issued as fast as P-256 profiles.
 *
 * Keys are made one at a time and only while `isIdle` returns true. A failure to make a key is logged and retried after
 * a pause; it never throws. The timers do not keep the process alive.
 */
export function createKeyPool({ keyType, target, isIdle, log, generate }: KeyPoolOptions): KeyPool {
  const parked: KeyPair[] = [];
  let state: "new" | "open" | "closed" = "new";
  let filling: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const wanting = (): boolean => state === "open" && parked.length < target;

  /** Makes one key, or schedules the next call; does nothing if a key is being made or the pool needs no key. */
  function step(): void {
    if (!wanting() || filling !== undefined || timer !== undefined) return;
    filling = makeOne().then((pause) => {
      filling = undefined;
      if (pause === 0) step();
      else stepAfter(pause);
    });
  }

  /** Resolves to the pause before the next key, in milliseconds. */
  async function makeOne(): Promise<number> {
    try {
      if (!isIdle()) return busyPause;
      park(await generate());
      return 0;
    } catch (error) {
      if (state === "closed") return 0;
      log?.warn(
        { event: "key_pool.failed", keyType, err: error },
        "A key for the pool could not be made; trying again later",
      );
      return failurePause;
    }
  }

  function park(pair: KeyPair): void {
    if (state === "closed") pair.privateKeyPkcs8.fill(0);
    else parked.push(pair);
  }

  function stepAfter(pause: number): void {
    if (!wanting()) return;
    timer = setTimeout(() => {
      timer = undefined;
      step();
    }, pause);
    timer.unref();
  }

  return {
    get size() {
      return parked.length;
    },
    take() {
      const pair = parked.pop();
      step();
      return pair;
    },
    start() {
      if (state === "new") state = "open";
      step();
    },
    async close() {
      state = "closed";
      clearTimeout(timer);
      timer = undefined;
      for (const pair of parked.splice(0)) pair.privateKeyPkcs8.fill(0);
      await filling;
    },
  };
}
