import { api, answerOf, dataOf, idempotent, type Schemas } from "../../api/api-client.ts";
import type { ListQuery } from "../../list/list-state.ts";

export type Job = Schemas["Job"];
export type JobKind = Job["kind"];
export type JobState = Job["state"];
export type JobRow = Schemas["JobRow"];

/** The cache key of all lists of jobs. */
export const jobsKey = "jobs";

/** Returns the cache key of one job. */
export const jobKey = (id: string): readonly [string, string] => ["job", id];

const finalStates: ReadonlySet<JobState> = new Set(["cancelled", "completed", "completed_with_errors", "failed"]);

/** Returns the cache key of a flag. The flag means that the latest request for a job did not reach the service. */
export const unreachableKey = (id: string): readonly [string, string] => ["job away", id];

/** Returns true if a job has ended. */
export const isFinal = ({ state }: Pick<Job, "state">): boolean => finalStates.has(state);

/** Returns true if the job does not advance without an action, at least for days. */
export const isStopped = (job: Pick<Job, "state">): boolean =>
  isFinal(job) || job.state === "ready" || job.state === "grace";

/** Returns true if the job can still be stopped. */
export const canBeCancelled = (job: Pick<Job, "state">): boolean =>
  !isFinal(job) && job.state !== "cancelling" && job.state !== "grace";

/** Returns true if the user can retry rows. A job that could not continue skipped the remaining rows. */
export const canBeRetried = (job: Pick<Job, "state" | "failed" | "skipped">): boolean =>
  isFinal(job) && (job.failed > 0 || (job.state === "failed" && job.skipped > 0));

/** The order in which a job passes through its states. */
const stages: Readonly<Record<JobState, number>> = {
  checking: 0,
  ready: 1,
  scheduled: 2,
  queued: 3,
  running: 4,
  cancelling: 5,
  grace: 6,
  cancelled: 10,
  completed: 10,
  completed_with_errors: 10,
  failed: 10,
};

/**
 * Returns a job's place in the order of states. After its grace period, a job waits for its turn and runs once more.
 */
const stageOf = ({ state, revokeAt }: Job): number =>
  stages[state] + (revokeAt !== null && (state === "queued" || state === "running" || state === "cancelling") ? 4 : 0);

/**
 * Returns the newer of two reports about a job, so the page never shows an earlier state, no matter in which order the
 * reports arrive.
 */
export function newestOf(known: Job | undefined, heard: Job): Job {
  if (known?.id !== heard.id) return heard;
  const [before, now] = [stageOf(known), stageOf(heard)];
  if (before !== now) return now > before ? heard : known;
  return heard.done >= known.done ? heard : known;
}

export const findJob = (id: string, signal: AbortSignal): Promise<Job> =>
  dataOf(api.GET("/api/jobs/{id}", { params: { path: { id } }, signal }));

export const findJobs = (
  { limit, offset, filter, sort, include }: ListQuery & { include?: "people" },
  signal: AbortSignal,
): Promise<{ data: Job[]; total?: number; people?: Readonly<Record<string, Schemas["Person"]>> }> =>
  answerOf(
    api.GET("/api/jobs", {
      params: {
        query: { limit, offset, ...(filter && { filter }), ...(sort && { sort }), ...(include && { include }) },
      },
      signal,
    }),
  );

/** Returns a job's place in the queue: the number of waiting jobs that were created no later than this job. */
export async function placeOf({ createdAt }: Job, signal: AbortSignal): Promise<number> {
  const filter = { state: "queued", maxCreated: createdAt };
  return Math.max(1, (await findJobs({ limit: 1, offset: 0, filter }, signal)).total ?? 0);
}

/**
 * When a job should run, and the number of people or profiles that it affects, if the user must confirm that number.
 */
export interface Start {
  /** ISO 8601; null for an immediate start; undefined for the time that the job was created with. */
  executeAt?: string | null | undefined;
  confirmTotal?: number | undefined;
  /** For an offboarding: the days until the devices lose access; null if they lose access immediately. */
  graceDays?: number | null | undefined;
}

/** Starts a job. `key` belongs to the form: if the user sends the same start twice, the job starts once. */
export const startJob = (id: string, { executeAt, confirmTotal, graceDays }: Start, key: string): Promise<Job> =>
  dataOf(
    api.POST("/api/jobs/{id}/start", {
      params: {
        path: { id },
        header: { "Idempotency-Key": [key, executeAt ?? "", confirmTotal ?? "", graceDays ?? ""].join(",") },
      },
      body: {
        ...(executeAt !== undefined && { executeAt }),
        ...(confirmTotal !== undefined && { confirmTotal }),
        ...(graceDays !== undefined && { graceDays }),
      },
    }),
  );

/** The content of a new job: selected rows of a list, or all rows that match the list's search and filters. */
export type Checked =
  | {
      kind: "offboarding" | "reactivation";
      of: { users: { userID: string }[] } | { matching: Schemas["UserMatching"] };
    }
  | {
      kind: "revocation";
      reason: NonNullable<Schemas["Profile"]["revokeReason"]>;
      of: { serials: string[] } | { matching: Schemas["ProfileMatching"] };
    };

/** Creates a job. The service checks the job, which then waits until the user starts it. */
export function checkRows(checked: Checked, key: string): Promise<Job> {
  const header = { "Idempotency-Key": key };
  const dryRun = "true";
  if (checked.kind === "revocation") {
    const params = { query: { dryRun, reason: String(checked.reason) }, header };
    return dataOf(api.POST("/api/jobs/revocation", { params, body: checked.of }));
  }
  const request = { params: { query: { dryRun }, header }, body: checked.of };
  return dataOf(
    checked.kind === "offboarding"
      ? api.POST("/api/jobs/offboarding", request)
      : api.POST("/api/jobs/reactivation", request),
  );
}

export type JobProblem = Schemas["JobProblem"];

/** Returns each cause of faulty rows in a job once. */
export const findProblems = (id: string, signal: AbortSignal): Promise<JobProblem[]> =>
  dataOf(api.GET("/api/jobs/{id}/problems", { params: { path: { id } }, signal }));

/** Returns the effect that an undo of a job would have now. */
export const findUndo = (id: string, signal: AbortSignal): Promise<Schemas["JobUndo"]> =>
  dataOf(api.GET("/api/jobs/{id}/undo", { params: { path: { id } }, signal }));

/**
 * Creates a job that undoes another job. The service checks the new job, and the user starts it. `key` belongs to the
 * page: two presses create one job.
 */
export const checkUndo = (id: string, key: string): Promise<Job> =>
  dataOf(
    api.POST("/api/jobs/{id}/undo", {
      params: { path: { id }, header: { "Idempotency-Key": key } },
      body: { dryRun: true },
    }),
  );

export const cancelJob = (id: string): Promise<Job> =>
  dataOf(api.POST("/api/jobs/{id}/cancel", { params: { path: { id }, header: idempotent() } }));

/**
 * Creates a job that retries another job's failed rows, and the rows that it skipped because it could not continue.
 * `key` belongs to the page: two presses create one job.
 */
export const retryJob = (id: string, key: string): Promise<Job> =>
  dataOf(api.POST("/api/jobs/{id}/retry", { params: { path: { id }, header: { "Idempotency-Key": key } } }));

export const eraseOutput = (id: string): Promise<unknown> =>
  answerOf(api.DELETE("/api/jobs/{id}/results", { params: { path: { id }, header: idempotent() } }));
