/** One step forward: plain SQL, run once in a transaction. There is no way back; a mistake is mended by the next step. */
export interface Migration {
  /** `YYYYMMDD-HHMM-what`; recorded in the database, so never changed. */
  name: string;
  up: string;
  /**
   * False where `up` is one `create index concurrently`, which Postgres runs in no transaction and which nobody has to wait
   * for. What it left half-made, when it was cut off, is dropped the next time.
   */
  transaction?: false;
  /** Run before each attempt at such an index, where rows have to be changed for it to be unique. */
  before?: string;
}
