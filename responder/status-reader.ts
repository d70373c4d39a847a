import type { Database } from "../db/client.ts";
import * as ocsp from "../db/queries/certificates/ocsp.ts";
import type { StatusKey, StatusRow } from "../db/queries/certificates/ocsp.ts";
import { createBatcher } from "../runtime/queue/batch.ts";

/** Reads the row of one serial number. */
export type ReadStatus = (key: StatusKey) => Promise<StatusRow>;

/**
 * Reads statuses together: requests of one turn of the event loop, or those made while two reads are under way, share
 * the next statement. Under load this is one statement for dozens of answers; a single request does not wait.
 */
export const createStatusReader = (db: Pick<Database, "query">): ReadStatus =>
  createBatcher((keys: readonly StatusKey[]) => ocsp.readStatuses(db, keys), {
    itemsMax: 500,
    inFlightMax: 2,
    waitMsMax: 0,
  });
