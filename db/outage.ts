import pg from "pg";

/**
 * Postgres cannot be used for now: it cannot be reached, is starting, stopping, too slow or full, or refuses the login.
 * Nothing is wrong with the request, and a retry helps.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  constructor(cause: unknown) {
    super("the database is away", { cause });
  }
}

/**
 * SQLSTATEs of a server that is away, shutting down, read-only, too slow, out of connections, disk or memory, has I/O
 * errors, or refuses the login for now, as while a password is changed (PostgreSQL appendix A).
 */
const outageStates = /^(08...|57P0[1-5]|57014|53[1-4]00|58030|25006|28P01|28000)$/;

const outageCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);

/**
 * The messages of `pg` when a connection or the pool has ended, or when a connection or a result was not available in
 * time.
 */
const outageMessages =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed and is not queryable|Query read timeout)/;

/** Returns whether Postgres cancelled a statement that took too long; the connection remains usable. */
export const tookTooLong = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.cause instanceof pg.DatabaseError && error.cause.code === queryCanceled;

const queryCanceled = "57014";

/** Returns whether Postgres refused the password (invalid_password), as it also does for an unknown login. */
export const passwordRefused = (error: unknown): error is DatabaseUnavailable =>
  error instanceof DatabaseUnavailable && error.cause instanceof pg.DatabaseError && error.cause.code === "28P01";

/**
 * Returns whether Postgres ended a connection at its start because the login may not assume the role
 * (insufficient_privilege). Open sessions keep the role.
 */
const isRoleRefusal = ({ code, severity }: pg.DatabaseError): boolean => code === "42501" && severity === "FATAL";

/** Returns whether a database is unavailable because this login was removed from its role. */
export const roleRefused = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.cause instanceof pg.DatabaseError && isRoleRefusal(error.cause);

/** Returns whether Postgres cannot be used for now: see {@link DatabaseUnavailable}. */
export function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return outageStates.test(error.code ?? "") || isRoleRefusal(error);
  if (error instanceof AggregateError) return error.errors.some(isOutage);
  if (!(error instanceof Error)) return false;
  return ("code" in error && outageCodes.has(String(error.code))) || outageMessages.test(error.message);
}
