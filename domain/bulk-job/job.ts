import type { Scope } from "../people/scopes.ts";
import { unconfirmedRemovalsMax } from "../limits.ts";

/** What a bulk job does: to people, or to profiles. */
export const jobKinds = ["onboarding", "offboarding", "reactivation", "revocation"] as const;
export type JobKind = (typeof jobKinds)[number];

/** What a token needs when rows ask for profiles. */
export const profileScope: Scope = "profile.create";

const scopeOfKind = {
  onboarding: "user.modify",
  offboarding: "user.delete",
  reactivation: "user.modify",
  revocation: "profile.delete",
} as const satisfies Record<JobKind, Scope>;

/** The scopes that a token needs for what a job does, in addition to the scope for jobs. */
export const scopesOfJob = (kind: JobKind, { profiles }: { profiles: boolean }): Scope[] => [
  scopeOfKind[kind],
  ...(profiles ? [profileScope] : []),
];

/** The states that a job is seen in. While its rows are still being received it is `receiving`, which no client sees. */
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
 * What made a job: a file or a list, a retry or an undo of another job, the offboarding of one user with days of grace, or
 * all that a search and filter of a list found.
 */
export const jobOrigins = ["upload", "retry", "undo", "user", "filter"] as const;
export type JobOrigin = (typeof jobOrigins)[number];

/** What a client searched and filtered a list by to make a job of all that it found, in the words of the list. */
export interface JobMatching {
  search?: string;
  filter: Readonly<Record<string, string>>;
}

/** What a watcher is told in `error` while a job has not failed. */
export const jobNotices = {
  /** An offboarding, a reactivation or a revocation waits until somebody says how many people or profiles it is about. */
  confirmationRequired: "confirmation_required",
  /** The realm has changed since the check: other people are affected than it said. */
  changedSinceCheck: "changed_since_check",
  /** The creator of the job may no longer create it. It waits until somebody else starts it, in their own name. */
  creatorEnded: "creator_ended",
  /** Nothing has moved for a minute; a worker may be down. */
  stalled: "stalled",
} as const;

/** What a failed job says in `error`, where it is not a bug. */
export const jobFailures = {
  /** A check found no row that could be carried out. */
  nothingUsable: "nothing_usable",
} as const;

/** Characters of the name that a job may be given: a file's, or a title. */
export const jobNameMax = 200;

/** A job that has not moved for this long has stalled. */
export const stalledSeconds = 60;

/** Whether the number of so many people or profiles, of those that were active before, has to be confirmed. */
export const isBeyondShare = (
  count: number,
  { active, sharePercent }: { active: number; sharePercent: number },
): boolean => count > unconfirmedRemovalsMax && count * 100 > sharePercent * active;

/** A row's state: the last four are final. */
export const rowStatuses = ["pending", "working", "changed", "unchanged", "failed", "skipped"] as const;
export type RowStatus = (typeof rowStatuses)[number];

interface KindOfJob {
  /** The rows are people or profiles; shares and counts are of these. */
  of: "people" | "profiles";
  /**
   * It removes access or revokes: red everywhere, the number is typed before it starts, and it counts with whatever else
   * removes access within the hour.
   */
  takesAway: boolean;
  /** A large one needs its number confirmed. */
  confirmed: boolean;
}

/** The facts about each kind of job that words, colours and questions depend on. */
export const kindsOfJob: Readonly<Record<JobKind, KindOfJob>> = {
  onboarding: { of: "people", takesAway: false, confirmed: false },
  offboarding: { of: "people", takesAway: true, confirmed: true },
  reactivation: { of: "people", takesAway: false, confirmed: true },
  revocation: { of: "profiles", takesAway: true, confirmed: true },
};

/** The states in which an offboarding can be taken back. */
export const undoableStates = ["grace", ...finalJobStates] as const satisfies JobState[];
