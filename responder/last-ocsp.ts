import type { Database } from "../db/client.ts";
import * as ocsp from "../db/queries/certificates/ocsp.ts";
import type { StatusRow } from "../db/queries/certificates/ocsp.ts";

export interface LastOcsp {
  /** Notes that a certificate was answered for. Costs an answer nothing; written down within seconds. */
  note(row: Pick<StatusRow, "certificateId" | "lastOcspAt" | "revokedAt">, at: Date): void;
  /** Writes down what waits. Throws when it cannot, and then it waits on. */
  flush(): Promise<void>;
}

/** What is noted beyond this is dropped: the certificate will be asked about again. */
const notedMax = 50_000;

/** Rows of one statement, so that nobody waits long for one of them. */
const slice = 1_000;

/** Collects when certificates were last answered for, and writes it down together. */
export function createLastOcsp(db: Pick<Database, "query">): LastOcsp {
  const noted = new Map<string, Date>();

  return {
    note({ certificateId, lastOcspAt, revokedAt }, at) {
      if (certificateId === null || noted.size >= notedMax) return;
      const isLate = lastOcspAt === null || at.getTime() - lastOcspAt.getTime() > ocsp.lastOcspSecondsMin * 1_000;
      const isFirstRefusal = revokedAt !== null && lastOcspAt !== null && lastOcspAt < revokedAt;
      if (!isLate && !isFirstRefusal) return;
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
