import { BoundedMap } from "../../../runtime/bounded-map.ts";

/**
 * Returns a function that makes each key's value once, also for simultaneous callers, and keeps at most `max` values. A
 * failure is not kept: the next caller makes the value again.
 */
export function keepResults<T>(max: number): (key: string, make: () => Promise<T> | T) => Promise<T> {
  const kept = new BoundedMap<string, Promise<T>>(max);
  return (key, make) => {
    const before = kept.get(key);
    if (before !== undefined) return before;
    const made = (async () => make())();
    kept.set(key, made);
    made.catch(() => {
      if (kept.get(key) === made) kept.delete(key);
    });
    return made;
  };
}
