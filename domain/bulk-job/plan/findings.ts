/** The findings of a finished check, over all rows. */
export interface Findings {
  changed: number;
  unchanged: number;
  failed: number;
  skipped: number;
  /**
   * The number of profiles of the people who will change, or of profiles that will be revoked; null if no row will
   * change, or the job is not about existing profiles.
   */
  profiles: number | null;
}
