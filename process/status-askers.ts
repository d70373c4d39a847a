import { isIP } from "node:net";
import type { Database } from "../db/client.ts";
import * as statusAskers from "../db/queries/certificates/status-askers.ts";
import type { AskedFor, StatusAsker } from "../db/queries/certificates/status-askers.ts";

export interface StatusAskers {
  /** Notes that somebody asked an issuer. Costs an answer nothing; written down within seconds. */
  note(issuerId: string, address: string, at: Date): void;
  /** Writes down what waits. Throws when it cannot, and then it waits on. */
  flush(): Promise<void>;
}

/** An address is written at most this often. */
const noteMsMin = 60_000;

/** Addresses of one process. What comes beyond them is dropped: a hint needs no more. */
const addressesMax = 1_024;

/** Collects where from issuers are asked about certificates, and writes it down together. */
export function createStatusAskers(
  db: Pick<Database, "query" | "transaction">,
  { kind }: { kind: AskedFor },
): StatusAskers {
  const waiting = new Map<string, StatusAsker>();
  const noted = new Map<string, number>();

  return {
    note(issuerId, address, at) {
      const plain = address.replace(/%.*$/, "");
      const key = `${issuerId} ${plain}`;
      const last = noted.get(key);
      if (last !== undefined && at.getTime() - last < noteMsMin) return;
      if (last === undefined && noted.size >= addressesMax) {
        for (const [each, then] of noted) if (at.getTime() - then >= noteMsMin) noted.delete(each);
        if (noted.size >= addressesMax) return;
      }
      if (isIP(plain) === 0) return;
      noted.set(key, at.getTime());
      waiting.set(key, { issuerId, address: plain, at });
    },

    async flush() {
      if (waiting.size === 0) return;
      const askers = [...waiting.entries()];
      await statusAskers.record(db, { kind, askers: askers.map(([, asker]) => asker) });
      for (const [key, asker] of askers) if (waiting.get(key) === asker) waiting.delete(key);
    },
  };
}
