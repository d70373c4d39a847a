import { jobStates, type JobState } from "./job.ts";

/** A state of a job, including `receiving`, which no client sees. */
export type AnyJobState = JobState | "receiving";

/** The states that may follow each state. */
export const followingStates: Readonly<Record<AnyJobState, readonly JobState[]>> = {
  receiving: ["checking"],
  // Completed: the check found nothing to change.
  checking: ["ready", "scheduled", "queued", "completed", "completed_with_errors", "cancelling", "failed"],
  ready: ["scheduled", "queued", "cancelling"],
  // Ready again: the creator is no longer allowed to create the job, or the database was restored, and a person must
  // start it.
  scheduled: ["ready", "queued", "cancelling"],
  queued: ["ready", "running", "cancelling", "failed"],
  // Cancelled: the job was stopped before its grace period, which has now ended.
  running: ["grace", "cancelled", "completed", "completed_with_errors", "cancelling", "failed"],
  // Queued: the grace period has ended. Cancelled: all people in the job got their access back before the grace period
  // ended.
  grace: ["queued", "cancelled"],
  // Completed: the job was stopped after its last row. Grace: locked-out people keep their grace period.
  cancelling: ["grace", "cancelled", "completed", "completed_with_errors", "failed"],
  cancelled: [],
  completed: [],
  completed_with_errors: [],
  failed: [],
};

/** Returns the states that `next` may follow. */
export const statesBefore = (next: JobState): AnyJobState[] =>
  (["receiving", ...jobStates] as const).filter((state) => followingStates[state].includes(next));
