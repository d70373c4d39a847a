/**
 * A map with room for `max` keys. A new key beyond that replaces the key that was set longest ago; setting a known key
 * makes it the newest.
 */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #max: number;
  readonly #onRemoved: (value: Value) => void;

  /** `onRemoved` receives only the values that are removed to make room. */
  constructor(max: number, onRemoved: (value: Value) => void = () => undefined) {
    this.#max = max;
    this.#onRemoved = onRemoved;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.size >= this.#max ? this.#entries : [];
    if (oldest !== undefined) {
      this.#entries.delete(oldest[0]);
      this.#onRemoved(oldest[1]);
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
