/** Counts one more request from an address. Returns false if the request exceeds the limit. */
export type WithinLimit = (address: string) => boolean;

/** How many addresses are counted individually; all other addresses share one count. */
const addressesMax = 20_000;
const windowMs = 1_000;

/** Counts requests per second and address, only in this process. `nowMs` is a clock that never goes back. */
export function createAddressLimits(perSecond: number, nowMs = () => performance.now()): WithinLimit {
  let counts = new Map<string, number>();
  let windowEnds = 0;
  return (address) => {
    const now = nowMs();
    if (now >= windowEnds) {
      counts = new Map();
      windowEnds = now + windowMs;
    }
    const key = counts.has(address) || counts.size < addressesMax ? address : "others";
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= perSecond;
  };
}
