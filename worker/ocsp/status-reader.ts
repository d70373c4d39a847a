import type { Database } from "../../db/client.ts";
import * as ocsp from "../../db/queries/certificates/ocsp.ts";
import type { StatusKey, StatusRow } from "../../db/queries/certificates/ocsp.ts";

/** Reads what there is of one serial number. */
export type ReadStatus = (key: StatusKey) => Promise<StatusRow>;

const readingsMax = 2;
const keysMax = 500;

interface Waiting {
  key: StatusKey;
  resolve: (row: StatusRow) => void;
  reject: (error: unknown) => void;
}

/**
 * Statuses are read together: all that are asked for in one turn of the event loop, or while two readings are under way,
 * go into the next. Under load this is one statement for dozens of answers; alone, an answer waits for nobody.
 */
export function createStatusReader(db: Pick<Database, "query">): ReadStatus {
  let waiting: Waiting[] = [];
  let readings = 0;

  const schedule = (): void => {
    if (readings >= readingsMax) return;
    readings += 1;
    setImmediate(() => void readAll());
  };

  const readAll = async (): Promise<void> => {
    const batch = waiting.slice(0, keysMax);
    waiting = waiting.slice(keysMax);
    try {
      const rows = await (batch.length === 0
        ? []
        : ocsp.readStatuses(
            db,
            batch.map(({ key }) => key),
          ));
      batch.forEach(({ resolve, reject }, index) => {
        const row = rows[index];
        if (row === undefined) reject(new Error("a serial number was not answered"));
        else resolve(row);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      readings -= 1;
      if (waiting.length > 0) schedule();
    }
  };

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      schedule();
    });
}
