import type { Database } from "../db/client.ts";
import * as ocsp from "../db/queries/certificates/ocsp.ts";
import type { StatusKey, StatusRow } from "../db/queries/certificates/ocsp.ts";
import { createBatcher } from "../runtime/batch.ts";

/** Reads what there is of one serial number. */
export type ReadStatus = (key: StatusKey) => Promise<StatusRow>;

/**
 * Statuses are read together: all that are asked for in one turn of the event loop, or while two readings are under way,
 * go into the next. Under load this is one statement for dozens of answers; alone, an answer waits for nobody.
 */
export const createStatusReader = (db: Pick<Database, "query">): ReadStatus =>
  createBatcher((keys: readonly StatusKey[]) => ocsp.readStatuses(db, keys), {
    itemsMax: 500,
    inFlightMax: 2,
    waitMsMax: 0,
  });
