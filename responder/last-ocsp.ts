import type { Database } from "../db/client.ts";
import { plainAddress } from "../process/status-askers.ts";
import * as ocsp from "../db/queries/certificates/ocsp.ts";
import type { Answered, StatusRow } from "../db/queries/certificates/ocsp.ts";

type AskedRow = Pick<StatusRow, "certificateId" | "lastOcspAt" | "revokedAt">;

export interface LastOcsp {
  /**
   * Notes that a certificate's status was sent to an address, unless the time of a recent answer is stored; always
   * notes the first refusal. Does not delay the answer; the database receives the note within seconds. If the address
   * gets several answers before that, the note is about the first refusal, else about the first answer.
   */
  note(row: AskedRow, asked: { address: string; at: Date }): void;
  /** Writes the notes to the database. Throws if that fails, and keeps the unwritten notes. */
  flush(): Promise<void>;
}

/** The most notes kept in memory. Further notes are dropped: clients will ask about the certificate again. */
const notedMax = 50_000;

/** Rows per statement: few enough that other transactions do not wait long for a row. */
const slice = 1_000;

/** Collects when each certificate's status was last sent, and writes these times together. */
export function createLastOcsp(db: Pick<Database, "query">): LastOcsp {
  /** Notes by certificate and address: only the database knows which addresses count. */
  const noted = new Map<string, Answered>();

  return {
    note({ certificateId, lastOcspAt, revokedAt }, { address, at }) {
      if (certificateId === null || noted.size >= notedMax) return;
      const isLate = lastOcspAt === null || at.getTime() - lastOcspAt.getTime() > ocsp.lastOcspSecondsMin * 1_000;
      const isFirstRefusal = revokedAt !== null && lastOcspAt !== null && lastOcspAt < revokedAt;
      if (!isLate && !isFirstRefusal) return;
      const key = `${certificateId} ${address}`;
      const known = noted.get(key);
      if (known !== undefined && (revokedAt === null || known.at >= revokedAt)) return;
      noted.set(key, { certificateId, address: plainAddress(address), at });
    },

    async flush() {
      while (noted.size > 0) {
        const part = [...noted].slice(0, slice);
        await ocsp.recordAnswers(
          db,
          part.map(([, answered]) => answered),
        );
        for (const [key, answered] of part) if (noted.get(key) === answered) noted.delete(key);
        if (part.length < slice) return;
      }
    },
  };
}
