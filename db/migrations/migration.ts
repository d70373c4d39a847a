/** One step forward: plain SQL, run once in a transaction. There is no way back; a mistake is mended by the next step. */
export interface Migration {
  /** `YYYYMMDD-HHMM-what`; recorded in the database, so never changed. */
  name: string;
  up: string;
  /** False for one `create index concurrently`, which Postgres runs in no transaction and which nobody has to wait for. */
  transaction?: false;
}
