import { DatabaseUnavailable } from "../../db/outage.ts";
import { AuditKeyError } from "../../runtime/audit-key.ts";
import { ConfigError } from "../../runtime/config.ts";
import { withoutCredentials } from "../../runtime/log.ts";
import { CeremonyError } from "../../worker/keys/ceremony.ts";
import { EncryptedKeyError } from "../../worker/keys/encrypted-key.ts";
import { OperatorError } from "../operator-error.ts";

/** What a person and a program are told about a failure. */
export interface Failure {
  code: string;
  message: string;
  exitCode: 1 | 2;
  /** The stack of what nobody foresaw; for people alone. */
  stack?: string;
}

/** Turns whatever was thrown into a sentence. Only what nobody foresaw has its stack with it. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof OperatorError) return { code: error.code, message: error.message, exitCode: error.exitCode };
  if (error instanceof ConfigError) return failed("configuration_invalid", error.message);
  if (error instanceof DatabaseUnavailable) {
    return failed("database_unavailable", `The database does not answer (${messageOf(error.cause)}).`);
  }
  if (error instanceof EncryptedKeyError) return failed(error.code, `${capitalised(error.message)}.`);
  if (error instanceof CeremonyError) return failed("ceremony_refused", `${capitalised(error.message)}.`);
  if (error instanceof AuditKeyError) return failed("audit_key_unusable", error.message);
  return databaseFailure(error) ?? unforeseen(error);
}

/** SQLSTATEs (PostgreSQL appendix A) that say something about the installation rather than about a bug. */
function databaseFailure(error: unknown): Failure | undefined {
  const { code } = error as { code?: unknown };
  const message = withoutCredentials(messageOf(error));
  if (code === "42P01" || code === "3F000" || isRoleMissing(error)) {
    return failed("not_migrated", "The database is not up to date. Run `npm run migrate`.");
  }
  if (code === "28P01" || code === "28000" || code === "3D000") {
    return failed("database_refused", `The database refuses the connection: ${message}.`);
  }
  if (code === "42501") {
    const needed = "`migrate` needs the owner of the database, everything else a member of realmpass_operator";
    return failed("database_refused", `The login of DATABASE_URL may not do this (${message}); ${needed}.`);
  }
  return undefined;
}

const isRoleMissing = (error: unknown): boolean =>
  (error as { code?: unknown }).code === "22023" && /role "[^"]+" does not exist/.test(messageOf(error));

const failed = (code: string, message: string): Failure => ({ code, message, exitCode: 1 });

const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return withoutCredentials(error instanceof Error ? error.message : String(error));
};

const unforeseen = (error: unknown): Failure => ({
  ...failed("internal_error", `Something went wrong that should not: ${messageOf(error)}.`),
  ...(error instanceof Error && error.stack !== undefined ? { stack: withoutCredentials(error.stack) } : {}),
});

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
