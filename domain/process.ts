/** The processes that serve, by what they do. */
export const processKinds = ["api", "worker", "responder"] as const;
export type ProcessKind = (typeof processKinds)[number];

/** What a process may find wrong with itself while it goes on; docs/health.md says what to do about each. */
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

/** A certificate that ends within so many days should be renewed now. */
export const endingDays = 21;

/** Something that does not work in a process. For operators: it names no person and holds no secret. */
export interface Problem {
  code: ProblemCode;
  detail: string;
  since: Date;
}
