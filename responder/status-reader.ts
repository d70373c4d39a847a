import type { Database } from "../db/client.ts";
import * as ocsp from "../db/queries/certificates/ocsp.ts";
import type { StatusKey, StatusRow } from "../db/queries/certificates/ocsp.ts";
import { createBatcher } from "../runtime/queue/batch.ts";

/** Reads the row of one serial number. */
export type ReadStatus = (key: StatusKey) => Promise<StatusRow>;

/**
 * Batches reads of statuses: requests that arrive in one turn of the event loop, or while two statements already run,
 * share the next statement. Under load one statement serves dozens of requests; a single request does not wait.
 */
export const createStatusReader = (db: Pick<Database, "query">): ReadStatus =>
  createBatcher((keys: readonly StatusKey[]) => ocsp.readStatuses(db, keys), {
    itemsMax: 500,
    inFlightMax: 2,
    waitMsMax: 0,
  });
