/** A value that is computed on demand and kept for a while. */
export interface Fresh<Value> {
  /**
   * Returns the kept value, else the value that is being computed, else computes a new value. A failure is not kept.
   */
  get(): Promise<Value>;
  /** Returns the kept value; undefined if there is no kept value or it is too old. */
  peek(): Value | undefined;
  /** Returns whether no value is kept or being computed. */
  isEmpty(): boolean;
}

export interface FreshOptions {
  /** How long a value is kept, from when its computation began. */
  keptMs: number;
  /** Age from which a caller still gets the kept value while a new one is computed. Default: `keptMs`. */
  renewedAfterMs?: number;
}

/** The state behind a {@link Fresh}: each `get` passes the computation to start if one is needed. */
interface Held<Value> extends Omit<Fresh<Value>, "get"> {
  get(compute: () => Promise<Value>): Promise<Value>;
}

function createHeld<Value>({ keptMs, renewedAfterMs = keptMs }: FreshOptions): Held<Value> {
  let kept: { startedAt: number; value: Value } | undefined;
  let running: Promise<Value> | undefined;

  const isYounger = (startedAt: number, ms: number): boolean => performance.now() - startedAt < ms;

  const start = (compute: () => Promise<Value>): Promise<Value> => {
    const startedAt = performance.now();
    running = compute()
      .then((value) => {
        kept = isYounger(startedAt, keptMs) ? { startedAt, value } : undefined;
        return value;
      })
      .finally(() => (running = undefined));
    return running;
  };

  const current = () => (kept !== undefined && isYounger(kept.startedAt, keptMs) ? kept : undefined);

  return {
    get(compute) {
      const found = current();
      if (found === undefined) return running ?? start(compute);
      if (running === undefined && !isYounger(found.startedAt, renewedAfterMs)) start(compute).catch(() => undefined);
      return Promise.resolve(found.value);
    },
    peek: () => current()?.value,
    isEmpty: () => current() === undefined && running === undefined,
  };
}

/**
 * Creates a {@link Fresh}. One computation runs at a time; callers that arrive during a computation share its result.
 */
export function createFresh<Value>(compute: () => Promise<Value>, options: FreshOptions): Fresh<Value> {
  const held = createHeld<Value>(options);
  return { ...held, get: () => held.get(compute) };
}

/** Like {@link Fresh}, for many values, each under its own key. */
export interface FreshByKey<Value> {
  /**
   * Returns the value of the key, as {@link Fresh} does. Calls with the same key must pass the same computation.
   * `compute` runs only if this call starts a computation. Without `renewedAfterMs` it ends before the call does, so it
   * can use what exists only during the call, for example a transaction.
   */
  get(key: string, compute: () => Promise<Value>): Promise<Value>;
  peek(key: string): Value | undefined;
}

/** Keeps values by key, and removes old ones. */
export function createFreshByKey<Value>(options: FreshOptions): FreshByKey<Value> {
  const known = new Map<string, Held<Value>>();
  return {
    get(key, compute) {
      for (const [each, held] of known) if (held.isEmpty()) known.delete(each);
      const found = known.get(key) ?? createHeld<Value>(options);
      known.set(key, found);
      return found.get(compute);
    },
    peek: (key) => known.get(key)?.peek(),
  };
}
