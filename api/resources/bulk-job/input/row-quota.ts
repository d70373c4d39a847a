import type { Db } from "../../../../db/client.ts";
import * as receiving from "../../../../db/queries/bulk-job/input/receive.ts";
import { unfinishedRowsMax } from "../../../../domain/bulk-job/job.ts";
import type { Fail } from "../../../contract/endpoint.ts";

const waitSeconds = 60;

/** Fails when the realm has too many unfinished rows for so many more. Holds others of the realm until the transaction ends. */
export async function requireRowQuota(
  tx: Db,
  { realmId, rows, fail }: { realmId: string; rows: number; fail: Fail<"too_many_rows_waiting"> },
): Promise<void> {
  const waiting = await receiving.lockWaitingRows(tx, realmId);
  if (waiting + rows <= unfinishedRowsMax) return;
  throw fail("too_many_rows_waiting", {
    description: `${waiting} rows of this realm's jobs are waiting; there may be ${unfinishedRowsMax}. Try again when some are done.`,
    retryAfterSeconds: waitSeconds,
  });
}
