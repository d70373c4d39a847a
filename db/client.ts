import pg from "pg";
import { connectSecondsOf } from "../runtime/config/server-url.ts";
import { DatabaseUnavailable, isOutage, tookTooLong } from "./outage.ts";
import { openReaders, type Readers } from "./readers.ts";
import { preparedName, sql, type Sql } from "./sql.ts";

/** A connection to query: the pool or a transaction. */
export interface Db {
  /**
   * Runs one statement and returns its rows. Prepares a statement with values once per connection, unless it is marked
   * as unprepared. Throws {@link DatabaseUnavailable} when Postgres is away.
   */
  query<Row extends object>(statement: Sql): Promise<Row[]>;
}

export interface Database extends Db {
  /** Runs all statements of `run` in one transaction (read committed). If `run` throws, rolls back. */
  transaction<Result>(run: (tx: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs statements in one transaction (read committed), all sent in one write, so a statement cannot use the result of
   * an earlier one. Returns the rows of each statement. If a statement fails, rolls back and throws the first error.
   */
  pipelined(statements: readonly Sql[]): Promise<object[][]>;
  close(): Promise<void>;
}

export interface OpenDatabase extends Database {
  /** Returns how many connections of the pool are in use and idle, and how many callers wait for a connection. */
  connections(): { used: number; idle: number; waiting: number };
}

/**
 * The Postgres roles, one for each kind of process; each role can access only the data that its process needs (see
 * `rights.ts`).
 */
export type DatabaseRole = "realmpass_api" | "realmpass_worker" | "realmpass_responder" | "realmpass_operator";

/** The role of BullMQ's Postgres backend in every process. */
export const queueRole = "realmpass_queue";

/** The schema of the tables of BullMQ's Postgres backend. */
export const queueSchema = "bullmq";

export interface DatabaseOptions {
  url: string;
  /**
   * The role that each connection assumes, whatever rights the login has. If omitted, connections keep the login's own
   * rights (migrations).
   */
  role?: DatabaseRole | typeof queueRole | undefined;
  connectionsMax: number;
  /**
   * The number of additional connections that all lookups share (see `lookup` in `sql.ts`). If omitted, lookups use the
   * pool.
   */
  readers?: number;
  applicationName: string;
  /**
   * How long a caller waits for a connection before it treats Postgres as away, in seconds. Default: `connect_timeout`
   * of the URL, else 5.
   */
  connectSecondsMax?: number;
  /** How long Postgres can take to respond before the client treats it as away, in seconds. Default: 30. */
  answerSecondsMax?: number;
  /**
   * How long a statement waits for a lock before it fails, in seconds. Default: as long as the client waits for a
   * response.
   */
  lockSecondsMax?: number;
  /** Called with the SQLSTATE of an error from Postgres; the statement still fails. */
  onRefusal?: (sqlstate: string) => void;
  /** Called when an idle connection dies; the pool replaces it. */
  onIdleError?: (error: Error) => void;
}

/** Settings that the code relies on, whatever the defaults of server, database or login. */
const sessionSettings = [
  "timezone=UTC",
  "datestyle=ISO",
  "default_transaction_isolation=read\\ committed",
  "search_path=public",
];

/** Returns the start-up options of a connection: the settings that the code relies on, then the given settings. */
export const startUpOptions = (settings: readonly string[] = []): string =>
  [...sessionSettings, ...settings].map((setting) => `-c ${setting}`).join(" ");

const poolOptions = (
  { url, connectionsMax, connectSecondsMax, applicationName }: Omit<DatabaseOptions, "role">,
  { role, settings = [] }: { role: string | undefined; settings?: readonly string[] },
) => ({
  connectionString: url,
  max: connectionsMax,
  application_name: applicationName,
  keepAlive: true,
  connectionTimeoutMillis: (connectSecondsMax ?? connectSecondsOf(url) ?? 5) * 1_000,
  options: startUpOptions([...(role === undefined ? [] : [`role=${role}`]), ...settings]),
});

/** A longer lookup on the connections for lookups is cancelled, because it delays other lookups. */
const lookupMsMax = 2_000;

/** Opens a pool. The pool connects with the first query. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const locks = options.lockSecondsMax === undefined ? [] : [`lock_timeout=${options.lockSecondsMax}s`];
  const answerMsMax = (options.answerSecondsMax ?? 30) * 1_000;
  const connection = {
    ...poolOptions(options, { role: options.role, settings: locks }),
    // The client sends independent statements without waiting for earlier results.
    pipeline: true,
    // The server cancels a statement a little earlier than the client, so the client drops a connection only if the
    // server does not respond.
    statement_timeout: answerMsMax - 500,
    query_timeout: answerMsMax,
  };
  const onIdleError = (error: Error): void => options.onIdleError?.(error);
  const pool = new pg.Pool(connection);
  pool.on("error", onIdleError);
  const lookUpMsMax = Math.min(connection.statement_timeout, lookupMsMax);
  const readers =
    options.readers === undefined
      ? pool
      : openReaders({ ...connection, statement_timeout: lookUpMsMax }, { count: options.readers, onIdleError });
  const failed = (error: unknown): never => {
    if (error instanceof pg.DatabaseError && error.code !== undefined) options.onRefusal?.(error.code);
    return rethrow(error);
  };

  return {
    query: (statement) => run(statement.isLookup ? readers : pool, statement, failed),

    async transaction(body) {
      const client = await pool.connect().catch(rethrow);
      // A connection that dies between two statements must not crash the process; the next statement reports the error.
      const onError = () => undefined;
      client.on("error", onError);
      let broken = false;
      try {
        // Sent together with the first statement of `body`; if `begin` fails, that statement fails as well.
        const begun = run(client, begin, failed);
        begun.catch(() => undefined);
        const result = await body({ query: (statement) => run(client, statement, failed) });
        await begun;
        await run(client, commit, failed);
        return result;
      } catch (error) {
        if (error instanceof DatabaseUnavailable) broken = true;
        else await run(client, rollback, failed).catch(() => (broken = true));
        throw error;
      } finally {
        client.off("error", onError);
        client.release(broken);
      }
    },

    async pipelined(statements) {
      const client = await pool.connect().catch(rethrow);
      const onError = () => undefined;
      client.on("error", onError);
      const { stream } = client.connection;
      stream.cork();
      // After a failure Postgres rejects the remaining statements, and rolls back at the commit.
      const answers = [begin, ...statements, commit].map((statement) => run(client, statement, failed));
      stream.uncork();
      const settled = await Promise.allSettled(answers);
      client.off("error", onError);
      const failure = settled.find((answer) => answer.status === "rejected");
      client.release(failure?.reason instanceof DatabaseUnavailable && !tookTooLong(failure.reason));
      if (failure !== undefined) throw failure.reason;
      return (await Promise.all(answers)).slice(1, -1);
    },

    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),

    async close() {
      await Promise.all(readers === pool ? [pool.end()] : [pool.end(), readers.end()]);
    },
  };
}

/**
 * Opens a plain pool for BullMQ's Postgres backend, which keeps its tables in the schema `bullmq`. Commits do not wait
 * for the disk. If a crash of Postgres loses a job, the service finds the work in its own rows; if the crash restores a
 * job, that job finds the rows settled.
 */
export function openQueuePool(options: Omit<DatabaseOptions, "role">): pg.Pool {
  const pool = new pg.Pool(
    poolOptions(options, { role: queueRole, settings: [`search_path=${queueSchema}`, "synchronous_commit=off"] }),
  );
  pool.on("error", (error) => options.onIdleError?.(error));
  return pool;
}

/** Returns a `Db` that runs queries in the caller's session; the caller also ends the session. */
export const onSession = (session: pg.Client): Db => ({ query: (statement) => run(session, statement, rethrow) });

const begin = sql`begin`;
const commit = sql`commit`;
const rollback = sql`rollback`;

async function run<Row extends object>(
  on: Pick<Readers, "query">,
  { text, values, isUnprepared }: Sql,
  failed: (error: unknown) => never,
): Promise<Row[]> {
  const name = values.length > 0 && !isUnprepared ? preparedName(text) : undefined;
  const result = await on
    .query<Row>({ text, values: [...values], ...(name === undefined ? {} : { name }) })
    .catch(failed);
  return result.rows;
}

function rethrow(error: unknown): never {
  throw isOutage(error) ? new DatabaseUnavailable(error) : error;
}

/** Returns the first row of a result with at most one row; undefined if there is none. */
export const first = <Row>(rows: readonly Row[]): Row | undefined => rows[0];

/** Returns the only row of a result; throws if the result does not have exactly one row. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}

/**
 * Returns true if an error is a violation of a unique, foreign-key or check constraint: of the named constraint or,
 * without a name, of any.
 */
export const violates = (error: unknown, constraint?: string): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === "23505" || error.code === "23503" || error.code === "23514") &&
  (constraint === undefined || error.constraint === constraint);
