/** What a finished check has found, of all rows. */
export interface Findings {
  changed: number;
  unchanged: number;
  failed: number;
  skipped: number;
  /** Profiles of those who will change; null where the job is not about profiles that exist. */
  profiles: number | null;
}
