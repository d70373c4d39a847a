import { isIP } from "node:net";
import type { Database } from "../db/client.ts";
import * as statusAskers from "../db/queries/certificates/status-askers.ts";
import type { AskedFor, StatusAsker } from "../db/queries/certificates/status-askers.ts";

export interface StatusAskers {
  /**
   * Notes that a client asked about an issuer's certificates, at most once a minute for each address. Does not delay
   * the answer: {@link flush} writes the note to the database.
   */
  note(issuerId: string, address: string, at: Date): void;
  /** Writes the notes to the database. Throws if that fails, and keeps the unwritten notes. */
  flush(): Promise<void>;
}

/** Returns an IP address without its zone (RFC 4007); null if the text is not an IP address. */
export function plainAddress(address: string): string | null {
  const plain = address.replace(/%.*$/, "");
  return isIP(plain) === 0 ? null : plain;
}

/** An address is noted for an issuer at most this often. */
const noteMsMin = 60_000;

/**
 * The most addresses that a process notes within a minute. Further addresses are dropped, because they serve only as a
 * hint.
 */
const addressesMax = 1_024;

/** Collects the addresses that ask about issuers' certificates, and writes them together. */
export function createStatusAskers(
  db: Pick<Database, "query" | "transaction">,
  { kind }: { kind: AskedFor },
): StatusAskers {
  const waiting = new Map<string, StatusAsker>();
  const noted = new Map<string, number>();

  return {
    note(issuerId, address, at) {
      const key = `${issuerId} ${address}`;
      const last = noted.get(key);
      if (last !== undefined && at.getTime() - last < noteMsMin) return;
      const plain = plainAddress(address);
      if (plain === null) return;
      if (last === undefined && noted.size >= addressesMax) {
        for (const [each, then] of noted) if (at.getTime() - then >= noteMsMin) noted.delete(each);
        if (noted.size >= addressesMax) return;
      }
      noted.set(key, at.getTime());
      waiting.set(`${issuerId} ${plain}`, { issuerId, address: plain, at });
    },

    async flush() {
      if (waiting.size === 0) return;
      const askers = [...waiting.entries()];
      await statusAskers.record(db, { kind, askers: askers.map(([, asker]) => asker) });
      for (const [key, asker] of askers) if (waiting.get(key) === asker) waiting.delete(key);
    },
  };
}
