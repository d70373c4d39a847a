import { jobStates, type JobState } from "./job.ts";

/** A state of a job, also while its upload is under way and nobody sees it. */
export type AnyJobState = JobState | "receiving";

/** Which states may follow which. */
export const followingStates: Readonly<Record<AnyJobState, readonly JobState[]>> = {
  receiving: ["checking"],
  // Completed: the check found nothing to change.
  checking: ["ready", "scheduled", "queued", "completed", "completed_with_errors", "cancelling", "failed"],
  ready: ["scheduled", "queued", "cancelling"],
  // Ready again: a job whose creator has ended waits for somebody else to start it.
  scheduled: ["ready", "queued", "cancelling"],
  queued: ["ready", "running", "cancelling", "failed"],
  // Cancelled: it was stopped before its days of grace, and these are over.
  running: ["grace", "cancelled", "completed", "completed_with_errors", "cancelling", "failed"],
  // Queued: its days are over. Cancelled: everybody in it was let back in before.
  grace: ["queued", "cancelled"],
  // Completed: it was stopped when every row was done. Grace: who is locked out keeps the days that they were given.
  cancelling: ["grace", "cancelled", "completed", "completed_with_errors", "failed"],
  cancelled: [],
  completed: [],
  completed_with_errors: [],
  failed: [],
};

/** The states that `next` may follow. */
export const statesBefore = (next: JobState): AnyJobState[] =>
  (["receiving", ...jobStates] as const).filter((state) => followingStates[state].includes(next));
