import * as bulkRevocation from "../../../db/operations/bulk-revocation.ts";
import * as offboarding from "../../../db/operations/offboarding.ts";
import * as onboarding from "../../../db/operations/onboarding.ts";
import * as reactivation from "../../../db/operations/reactivation.ts";
import * as rowsToOnboard from "../../../db/queries/bulk-job/run/onboarding.ts";
import * as jobRows from "../../../db/queries/bulk-job/run/rows.ts";
import * as jobs from "../../../db/queries/bulk-job/progress.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import type { Progress, RowRange, WorkedJob } from "../../../db/queries/bulk-job/progress.ts";
import { chunkSize } from "../../../domain/tasks/process-bulk-job-rows.ts";
import { RetryLater } from "../../../runtime/queue/queues.ts";
import type { BulkJobDeps } from "../deps.ts";
import { finish } from "./finish.ts";
import { slicesOf, bisectOnError } from "../bisect.ts";

/**
 * How many rows of an onboarding one transaction works, and how many profiles are signed together: few enough that
 * other work gets its turn.
 */
const onboardingSlice = 100;

/** How many rows of an offboarding or a revocation one transaction works. */
const revokingSlice = 250;

/** How many rows of a reactivation one transaction works: a whole chunk. */
const reactivationSlice = chunkSize;

/**
 * Works the rows of a chunk that are not final. Checks between slices whether the job was stopped, and finishes rows
 * under way even then. Throws {@link RetryLater} if another worker has some of the rows, or if some went back to the
 * queue.
 */
export async function workRows(deps: BulkJobDeps, chunk: RowRange): Promise<void> {
  const size = {
    onboarding: onboardingSlice,
    offboarding: revokingSlice,
    reactivation: reactivationSlice,
    revocation: revokingSlice,
  };
  const work = { onboarding: onboard, offboarding: offboard, reactivation: reactivate, revocation: revoke };
  let complete = false;
  const kind = (await jobs.find(deps.db, chunk.jobId))?.kind;
  if (kind === undefined) return;
  for (const slice of slicesOf(chunk, size[kind])) {
    const job = await jobs.find(deps.db, chunk.jobId);
    if (job?.state !== "running" && job?.state !== "cancelling") return;
    const progress = await work[kind](deps, job, slice);
    complete ||= progress.some((part) => part?.complete === true);
  }
  if (complete) {
    await finish(deps, chunk.jobId);
    return;
  }
  if (await jobRows.hasWorkingRows(deps.db, chunk)) throw new RetryLater("rows are not settled yet");
}

/**
 * Ends the rows under way of a job that cannot continue: users whom it locked out lose their profiles, and profiles not
 * made yet are abandoned. Throws if the database is away, and can then be called again.
 */
export async function endWorkingRows(deps: EndingDeps, job: WorkedJob): Promise<void> {
  const all = { jobId: job.id, from: 1, to: job.lastPosition + 1 };
  if (job.kind === "offboarding") {
    for (const slice of slicesOf(all, revokingSlice)) await offboard(deps, job, slice);
    return;
  }
  // Rows of a reactivation or a revocation are never under way.
  if (job.kind !== "onboarding") return;
  const at = deps.clock.now();
  await issuances.failUnsettledOfJob(deps.db, { jobId: job.id, errorCode: "issuance_failed", at });
  for (const slice of slicesOf(all, chunkSize)) await conclude(deps, slice);
}

/** The dependencies of ending rows, which issues nothing. */
type EndingDeps = Pick<BulkJobDeps, "db" | "clock" | "log">;

type Progresses = (Progress | undefined)[];

async function onboard(deps: BulkJobDeps, job: WorkedJob, slice: RowRange): Promise<Progresses> {
  const { db, clock, log, issueAll } = deps;
  const { realmId, actor } = job;
  const giveUp = (row: { jobId: string; position: number }) =>
    jobRows.failRow(db, { ...row, code: "internal_error", at: clock.now() });

  const taken =
    job.state === "running"
      ? await bisectOnError(slice, {
          work: (part) =>
            db.transaction((tx) => onboarding.onboardRows(tx, { ...part, realmId, actor, at: clock.now() })),
          giveUp,
          log,
        })
      : [];
  await rowsToOnboard.analyzeGrownUsers(db);
  if (!(await jobRows.hasWorkingRows(db, slice))) return taken;

  const unsettled = await rowsToOnboard.unsettled(db, slice);
  if (unsettled.length > 0) await issueAll(unsettled);
  return [...taken, ...(await conclude(deps, slice))];
}

const conclude = ({ db, clock, log }: EndingDeps, slice: RowRange): Promise<Progresses> =>
  bisectOnError(slice, {
    work: (part) => rowsToOnboard.concludeRows(db, { ...part, at: clock.now() }),
    giveUp: (row) => jobRows.failRow(db, { ...row, code: "internal_error", at: clock.now() }),
    log,
  });

function offboard({ db, clock, log }: EndingDeps, { realmId }: WorkedJob, slice: RowRange): Promise<Progresses> {
  return bisectOnError(slice, {
    work: (part) => db.transaction((tx) => offboarding.revoke(tx, { ...part, realmId, at: clock.now() })),
    giveUp: (row) => jobRows.failRow(db, { ...row, code: "internal_error", at: clock.now() }),
    log,
  });
}

function reactivate(
  { db, clock, log }: EndingDeps,
  { realmId, undoOf, actor }: WorkedJob,
  slice: RowRange,
): Promise<Progresses> {
  return bisectOnError(slice, {
    work: (part) =>
      db.transaction((tx) => reactivation.letBackIn(tx, { ...part, realmId, undoOf, actor, at: clock.now() })),
    giveUp: (row) => jobRows.failRow(db, { ...row, code: "internal_error", at: clock.now() }),
    log,
  });
}

function revoke(
  { db, clock, log }: EndingDeps,
  { id, realmId, reason, actor }: WorkedJob,
  slice: RowRange,
): Promise<Progresses> {
  if (reason === null) throw new Error(`revocation ${id} has no reason`);
  return bisectOnError(slice, {
    work: (part) =>
      db.transaction((tx) => bulkRevocation.revokeRows(tx, { ...part, realmId, reason, actor, at: clock.now() })),
    giveUp: (row) => jobRows.failRow(db, { ...row, code: "internal_error", at: clock.now() }),
    log,
  });
}
