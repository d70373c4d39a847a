import * as receiving from "../../../../db/queries/bulk-job/input/receive.ts";
import type { RowSource } from "../../../../domain/bulk-job/input/row-source.ts";
import { jobRowsMax } from "../../../../domain/limits.ts";
import { profileScope, type JobKind } from "../../../../domain/bulk-job/job.ts";
import type { ErrorCode } from "../../../../domain/errors.ts";
import type { BulkJobID } from "../../../../domain/ids.ts";
import type { RevocationReason } from "../../../../domain/certificate/revocation.ts";
import { drawBulkJobId } from "../../../../runtime/draw-ids.ts";
import { searchesOf } from "../../../contract/list-search.ts";
import { requireStaffScope, type PrincipalFor } from "../../../contract/access.ts";
import type { Fail, IncomingCall, Upload } from "../../../contract/endpoint.ts";
import { actorOf } from "../../../contract/principal.ts";
import type { Reply } from "../../../contract/reply.ts";
import type { JobView } from "../../../contract/views/job-view.ts";
import { answerChanged } from "../answer-job.ts";
import { requireNear } from "../job-rules.ts";
import { beginJob, type Beginning } from "./begin-job.ts";
import { UnusableFile } from "./input.ts";
import type { JobQuery } from "./job-upload.ts";
import { readMatchingRows, type MatchingRows } from "./matching.ts";
import { readInput } from "./read-input.ts";
import { receiveRows } from "./receive-rows.ts";

/** The error codes with which the creation of a job can fail, whatever the job's kind. */
export const jobCreationErrors = [
  "too_many_rows_waiting",
  "invalid_request",
  "unknown_columns",
  "payload_too_large",
] as const satisfies readonly ErrorCode[];

type CreationCall = Pick<IncomingCall, "deps" | "prefer" | "change" | "requestId" | "concerns" | "log" | "signal"> & {
  principal: PrincipalFor["staff"];
  query: JobQuery;
  /** Only for a revocation. */
  reason?: RevocationReason;
  upload: Upload;
  fail: Fail<(typeof jobCreationErrors)[number]>;
};

/**
 * Creates a job from a file, or from all rows that a search and filter find. The job begins in one transaction with its
 * audit entry and the Idempotency-Key; a failure before that leaves nothing behind.
 */
export async function createJob(kind: JobKind, call: CreationCall): Promise<Reply<JobView>> {
  const { deps, principal, query, reason, upload, prefer, requestId, concerns, log, signal, fail } = call;
  const { db, clock } = deps;
  const { realmId } = principal;
  const { dryRun = false, executeAt = null, confirmTotal = null, graceDays = null, name = null, rowOffset = 0 } = query;
  const own = { realmId, jobId: drawBulkJobId() };
  requireNear(executeAt, clock.now(), fail);
  const job = {
    ...own,
    ...{ kind, dryRun, executeAt, confirmTotal, graceDays, reason: reason ?? null, name, rowOffset },
    actor: actorOf(principal),
    at: clock.now(),
    requestId,
  };

  let jobId: BulkJobID;
  try {
    const input = await readInput(kind, upload, {
      columns: query.columns ?? {},
      ignoreUnknown: query.unknownColumns === "ignore",
      withoutHeader: query.header === "none",
    });
    ({ jobId } =
      "matching" in input
        ? await beginMatching(job, readMatchingRows(kind, input.matching), call)
        : await beginReceived(job, input, call));
  } catch (error) {
    await discard();
    if (!(error instanceof UnusableFile)) throw error;
    const { message: description, code, fields } = error;
    throw fail(code, { description, ...(fields && { fields }), cause: error });
  }

  // The request repeats an earlier one: the response is the job of that request.
  if (jobId !== own.jobId) await discard();
  concerns({ bulkJobId: jobId });
  return answerChanged(jobId, "received", { principal, deps, prefer, log, signal });

  async function discard(): Promise<void> {
    try {
      await receiving.discard(db, own);
    } catch (err) {
      log.warn(
        { event: "job.discard_failed", jobId: own.jobId, err },
        "could not discard an upload; the workers will discard it",
      );
    }
  }
}

/** Stores the rows of a file as they arrive; the job begins only once all are stored. */
async function beginReceived(
  job: Beginning,
  source: RowSource,
  { deps, principal, change, fail }: CreationCall,
): Promise<{ jobId: BulkJobID }> {
  const { total, invalid } = await receiveRows(deps, {
    job,
    source,
    requireProfiles() {
      requireStaffScope(principal, profileScope);
    },
    fail,
  });
  return change((tx) => {
    const recorded = { invalid, ...recordedOf(job) };
    return beginJob(tx, job, { total, recorded, at: deps.clock.now(), fail });
  });
}

/** Finds and stores the rows in the transaction that begins the job. */
async function beginMatching(
  job: Beginning,
  { scope, place, columns, given, recorded, add }: MatchingRows,
  { deps, principal, change, fail }: CreationCall,
): Promise<{ jobId: BulkJobID }> {
  requireStaffScope(principal, scope);
  return change(async (tx) => {
    const at = deps.clock.now();
    await receiving.create(tx, { ...job, columns, origin: "filter", matching: given });
    const total = await add(tx, { ...job, at, ...searchesOf(place, principal) });
    if (total === 0) throw new UnusableFile("Nothing in the list matches.", { path: "matching" });
    if (total > jobRowsMax) {
      throw fail("payload_too_large", {
        description: `More than ${jobRowsMax} match. Narrow the filter, and make several jobs.`,
      });
    }
    return beginJob(tx, job, { total, recorded: { matching: recorded, ...recordedOf(job) }, at, fail });
  });
}

/** Returns how the job is to run, for its audit entry. */
const recordedOf = ({ dryRun, executeAt, confirmTotal, graceDays, reason }: Beginning) => ({
  ...{ dryRun, executeAt, confirmTotal },
  ...(graceDays !== null && { graceDays }),
  ...(reason !== null && { reason }),
});
