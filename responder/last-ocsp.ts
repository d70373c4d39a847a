import type { Database } from "../db/client.ts";
import * as ocsp from "../db/queries/certificates/ocsp.ts";
import type { StatusRow } from "../db/queries/certificates/ocsp.ts";

export interface LastOcsp {
  /**
   * Notes that a certificate's status was sent. Does not delay the answer; it is written to the database within
   * seconds. Of the answers until then the first counts, or the first refusal.
   */
  note(row: Pick<StatusRow, "certificateId" | "lastOcspAt" | "revokedAt">, at: Date): void;
  /** Writes the notes to the database. Throws if that fails; the unwritten notes stay. */
  flush(): Promise<void>;
}

/** Further notes are dropped: clients will ask about the certificate again. */
const notedMax = 50_000;

/** Rows of one statement: few enough that no other transaction waits long for one of them. */
const slice = 1_000;

/** Collects when each certificate's status was last sent, and writes these times together. */
export function createLastOcsp(db: Pick<Database, "query">): LastOcsp {
  const noted = new Map<string, Date>();

  return {
    note({ certificateId, lastOcspAt, revokedAt }, at) {
      if (certificateId === null || noted.size >= notedMax) return;
      const isLate = lastOcspAt === null || at.getTime() - lastOcspAt.getTime() > ocsp.lastOcspSecondsMin * 1_000;
      const isFirstRefusal = revokedAt !== null && lastOcspAt !== null && lastOcspAt < revokedAt;
      if (!isLate && !isFirstRefusal) return;
      const known = noted.get(certificateId);
      if (known !== undefined && (revokedAt === null || known >= revokedAt)) return;
      noted.set(certificateId, at);
    },

    async flush() {
      while (noted.size > 0) {
        const part = [...noted].slice(0, slice).map(([certificateId, at]) => ({ certificateId, at }));
        await ocsp.recordAnswers(db, part);
        for (const { certificateId, at } of part) if (noted.get(certificateId) === at) noted.delete(certificateId);
        if (part.length < slice) return;
      }
    },
  };
}
