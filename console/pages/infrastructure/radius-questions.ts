import type { Schemas } from "../../api/api-client.ts";

/**
 * The servers that sent requests, latest first, and the time when one of them asked about an administrator's device.
 */
export interface Asked {
  servers: { address: string; lastAt: string }[];
  deviceCheckedAt: string | null;
}

/** Returns the requests in the set-up's state. */
export function factsOf({ steps }: Schemas["Setup"]): Asked {
  const facts: Asked = { servers: [], deviceCheckedAt: null };
  for (const step of steps) {
    if (step.step === "radius_asks") facts.servers = step.facts.servers;
    if (step.step === "own_device") facts.deviceCheckedAt = step.facts.checkedAt;
  }
  return facts;
}

/** Returns the requests in `now` that are not in `before`. Compares only the service's times. */
export function asked(before: Asked, now: Asked): Asked {
  const times = new Map(before.servers.map(({ address, lastAt }) => [address, lastAt]));
  return {
    servers: now.servers.filter(({ address, lastAt }) => times.get(address) !== lastAt),
    deviceCheckedAt: now.deviceCheckedAt === before.deviceCheckedAt ? null : now.deviceCheckedAt,
  };
}
