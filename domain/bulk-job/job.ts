import type { Scope } from "../people/scopes.ts";
import { unconfirmedRemovalsMax } from "../limits.ts";

/** The kinds of bulk job, about people or profiles. */
export const jobKinds = ["onboarding", "offboarding", "reactivation", "revocation"] as const;
export type JobKind = (typeof jobKinds)[number];

/** The scope that a token needs if rows ask for profiles. */
export const profileScope: Scope = "profile.create";

const scopeOfKind = {
  onboarding: "user.modify",
  offboarding: "user.delete",
  reactivation: "user.modify",
  revocation: "profile.delete",
} as const satisfies Record<JobKind, Scope>;

/** Returns the scopes that a token needs for a job, in addition to the scope for jobs. */
export const scopesOfJob = (kind: JobKind, { profiles }: { profiles: boolean }): Scope[] => [
  scopeOfKind[kind],
  ...(profiles ? [profileScope] : []),
];

/**
 * The states that clients see. While the service receives a job's rows, the job is `receiving`, which no client sees.
 */
export const jobStates = [
  "checking",
  "ready",
  "scheduled",
  "queued",
  "running",
  "grace",
  "cancelling",
  "cancelled",
  "completed",
  "completed_with_errors",
  "failed",
] as const;
export type JobState = (typeof jobStates)[number];

/** States that a job never leaves. */
export const finalJobStates = [
  "cancelled",
  "completed",
  "completed_with_errors",
  "failed",
] as const satisfies JobState[];

/**
 * The origin of a job: a file or a list, a retry or an undo of another job, the offboarding of one user with days of
 * grace, everything that a search and filter of a list found, or the people whose offboarding by SCIM is on hold until
 * a person confirms it.
 */
export const jobOrigins = ["upload", "retry", "undo", "user", "filter", "scim"] as const;
export type JobOrigin = (typeof jobOrigins)[number];

/** The search and filter of the list from which a client made a job, in the terms of the list. */
export interface JobMatching {
  search?: string;
  filter: Readonly<Record<string, string>>;
}

/** Values of `error` that a watcher sees while a job has not failed. */
export const jobNotices = {
  /** An offboarding, a reactivation or a revocation waits until a person confirms the number of people or profiles. */
  confirmationRequired: "confirmation_required",
  /**
   * The realm has changed since the check that a person saw: the job runs, and changes another number of people or
   * profiles than the check found.
   */
  changedSinceCheck: "changed_since_check",
  /**
   * The job's creator is no longer allowed to create such a job. The job waits until another person starts it, in their
   * own name.
   */
  creatorEnded: "creator_ended",
  /** The database was restored before the reactivation ran: a person must start it, as people may have left since. */
  restored: "restored",
  /** The job has not progressed for a minute; a worker may be down. */
  stalled: "stalled",
} as const;

/** Values of `error` of a job that failed for another reason than a bug. */
export const jobFailures = {
  /** The check found no row that the job could process. */
  nothingUsable: "nothing_usable",
} as const;

/** The most characters of a job's name, which is a file's name or a title. */
export const jobNameMax = 200;

/** A job that has not moved for this long has stalled. */
export const stalledSeconds = 60;

/** Whether a job that changes `count` of `active` people or profiles needs confirmation of the number. */
export const isBeyondShare = (
  count: number,
  { active, sharePercent }: { active: number; sharePercent: number },
): boolean => count > unconfirmedRemovalsMax && count * 100 > sharePercent * active;

/** A row's state: the last four are final. */
export const rowStatuses = ["pending", "working", "changed", "unchanged", "failed", "skipped"] as const;
export type RowStatus = (typeof rowStatuses)[number];

interface KindOfJob {
  /** The subjects of the rows. Shares and counts refer to them. */
  of: "people" | "profiles";
  /**
   * The job removes access or revokes profiles. The console shows it in red, a person must type the number of people or
   * profiles before it starts, and the limit for removals within an hour counts it.
   */
  takesAway: boolean;
  /** A large job waits until a person confirms its number of people or profiles. */
  confirmed: boolean;
}

/** The facts about each kind of job that determine words, colours and questions. */
export const kindsOfJob: Readonly<Record<JobKind, KindOfJob>> = {
  onboarding: { of: "people", takesAway: false, confirmed: false },
  offboarding: { of: "people", takesAway: true, confirmed: true },
  reactivation: { of: "people", takesAway: false, confirmed: true },
  revocation: { of: "profiles", takesAway: true, confirmed: true },
};

/** The states in which an offboarding can be undone. */
export const undoableStates = ["grace", ...finalJobStates] as const satisfies JobState[];
