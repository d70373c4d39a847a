/** One step forward: plain SQL, run once in a transaction. There is no way back; a mistake is mended by the next step. */
export interface Migration {
  /** `YYYYMMDD-HHMM-what`; recorded in the database, so never changed. */
  name: string;
  up: string;
  /**
   * False if `up` is one `create index concurrently`, which Postgres runs outside transactions and which blocks no
   * writes. The next run drops an index that an interrupted one left unfinished.
   */
  transaction?: false;
  /** Run before each attempt at such an index, where rows have to be changed for it to be unique. */
  before?: string;
}
