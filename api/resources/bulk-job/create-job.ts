import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import { profileScope, type JobKind } from "../../../domain/bulk-job/job.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import type { BulkJobID } from "../../../domain/ids.ts";
import { drawBulkJobId } from "../../../runtime/draw-ids.ts";
import { requireScope } from "../../contract/access.ts";
import type { Fail, IncomingCall, Upload } from "../../contract/endpoint.ts";
import { actorOf, type Principal } from "../../contract/principal.ts";
import type { Reply } from "../../contract/reply.ts";
import type { JobView } from "../../contract/views/job-view.ts";
import { advance } from "./advance.ts";
import { answerJob } from "./answer-job.ts";
import { UnusableFile } from "./input.ts";
import { requireNear, requireRowQuota } from "./job-rules.ts";
import type { JobQuery } from "./job-upload.ts";
import { readInput } from "./read-input.ts";
import { receiveRows } from "./receive-rows.ts";

/** The ways in which the creation of a job of any kind can fail. */
export const jobCreationErrors = [
  "too_many_rows_waiting",
  "invalid_request",
  "payload_too_large",
] as const satisfies readonly ErrorCode[];

type CreationCall = Pick<IncomingCall, "deps" | "prefer" | "change" | "log" | "signal"> & {
  principal: Principal;
  query: JobQuery;
  upload: Upload;
  fail: Fail<(typeof jobCreationErrors)[number]>;
};

/**
 * Receives a file and makes a job of it. Rows are stored while they come in; only when all are there does the job begin,
 * in one transaction with its audit entry and the Idempotency-Key. Whatever goes wrong before leaves nothing behind.
 */
export async function createJob(kind: JobKind, call: CreationCall): Promise<Reply<JobView>> {
  const { deps, principal, query, upload, change, prefer, log, signal, fail } = call;
  const { db, clock } = deps;
  const { realmId } = principal;
  const { dryRun = false, executeAt = null, confirmTotal = null, graceDays = null, name = null, rowOffset = 0 } = query;
  const actor = actorOf(principal);
  const own = { realmId, jobId: drawBulkJobId() };
  requireNear(executeAt, clock.now(), fail);

  let jobId: BulkJobID;
  try {
    const input = await readInput(kind, upload, {
      columns: query.columns ?? {},
      ignoreUnknown: query.unknownColumns === "ignore",
    });
    const { total, invalid } = await receiveRows(deps, {
      job: {
        ...own,
        kind,
        dryRun,
        executeAt,
        confirmTotal,
        graceDays,
        name,
        rowOffset,
        actor,
        at: clock.now(),
      },
      input,
      requireProfiles() {
        requireScope(principal, profileScope);
      },
      fail,
    });
    ({ jobId } = await change(async (tx) => {
      const at = clock.now();
      await requireRowQuota(tx, { realmId, rows: total, fail });
      if (!(await jobs.begin(tx, { ...own, total, at }))) throw new UnusableFile("The upload took too long.");
      await audit.record(tx, {
        realmId,
        event: "job_create",
        actor,
        at,
        properties: {
          job: own.jobId,
          kind,
          total,
          invalid,
          dryRun,
          executeAt,
          confirmTotal,
          ...(graceDays !== null && { graceDays }),
        },
      });
      return { jobId: own.jobId };
    }));
  } catch (error) {
    await discard();
    if (!(error instanceof UnusableFile)) throw error;
    const { message: description, fields } = error;
    throw fail("invalid_request", { description, ...(fields && { fields }), cause: error });
  }

  // A repeat: the first request's job is the answer.
  if (jobId !== own.jobId) await discard();
  await advance(jobId, "received", { deps, log });
  const job = await jobs.find(db, { realmId, jobId, at: clock.now() });
  if (job === undefined) throw new Error(`job ${jobId} has gone`);
  return answerJob(job, { deps, prefer, signal });

  async function discard(): Promise<void> {
    try {
      await jobs.discard(db, own);
    } catch (err) {
      log.warn({ event: "job.discard_failed", jobId: own.jobId, err }, "an upload that failed is left to the workers");
    }
  }
}
