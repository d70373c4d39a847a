/** One step forward: plain SQL, run once in a transaction. There is no way back; a mistake is mended by the next step. */
export interface Migration {
  /** `YYYYMMDD-HHMM-what`; recorded in the database, so never changed. */
  name: string;
  up: string;
  /**
   * For `create index concurrently`, which is then all of `up` and hinders nobody who writes meanwhile. Died half-way it
   * leaves an index that is not valid, which is dropped the next time.
   */
  transaction?: false;
}
