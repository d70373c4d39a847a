/** The kinds of process that make up the running service. */
export const processKinds = ["api", "worker", "responder"] as const;
export type ProcessKind = (typeof processKinds)[number];

/**
 * Problems that a process can detect in itself while it keeps running; docs/health.md explains what to do about each.
 */
export const problemCodes = [
  "certificate_ended",
  "certificate_ending",
  "clock_skewed",
  "disk_full",
  "issuer_away",
  "login_too_wide",
  "metrics_port",
  "notifications_lost",
  "publication_failed",
] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** A certificate that expires within this many days should be renewed now. */
export const endingDays = 21;

/** A problem that a process reports. Operators read it, so it names no person and contains no secret. */
export interface Problem {
  code: ProblemCode;
  detail: string;
  since: Date;
}
