import type { Db } from "../../../../db/client.ts";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as receiving from "../../../../db/queries/bulk-job/input/receive.ts";
import { unfinishedRowsMax } from "../../../../domain/limits.ts";
import type { BulkJobID } from "../../../../domain/ids.ts";
import type { Fail } from "../../../contract/endpoint.ts";
import { UnusableFile } from "./input.ts";

/** A job before its rows are known. */
export type Beginning = Omit<receiving.NewJob, "columns"> & { jobId: BulkJobID };

interface Begun {
  /** The number of the job's rows. */
  total: number;
  /** Written to the job's audit entry. */
  recorded: Readonly<Record<string, unknown>>;
  at: Date;
  fail: Fail<"too_many_rows_waiting">;
}

const waitSeconds = 60;

/**
 * Begins a job whose rows are stored, with its audit entry; from then on the workers process it. Fails if the realm
 * would have too many unfinished rows, or if the upload took too long. Other jobs of the realm cannot begin until the
 * transaction ends.
 */
export async function beginJob(
  tx: Db,
  { realmId, jobId, kind, actor }: Beginning,
  { total, recorded, at, fail }: Begun,
): Promise<{ jobId: BulkJobID }> {
  const waiting = await receiving.lockWaitingRows(tx, realmId);
  if (waiting + total > unfinishedRowsMax) {
    throw fail("too_many_rows_waiting", {
      description: `${waiting} rows of this realm's jobs are waiting; there may be ${unfinishedRowsMax}. Try again when some are done.`,
      retryAfterSeconds: waitSeconds,
    });
  }
  if (!(await receiving.begin(tx, { realmId, jobId, total, at }))) throw new UnusableFile("The upload took too long.");
  await audit.record(tx, {
    realmId,
    event: "job_create",
    actor,
    at,
    properties: { job: jobId, kind, total, ...recorded },
  });
  return { jobId };
}
