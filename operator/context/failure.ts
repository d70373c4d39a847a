import { MigrationFailed, RolesMissing, SchemaAhead, SchemaForeign } from "../../db/migration-failures.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import { AuditKeyError } from "../../runtime/keys/audit-key.ts";
import { ConfigError } from "../../runtime/config/config.ts";
import { withoutCredentials } from "../../runtime/log.ts";
import { CeremonyError } from "../../worker/keys/ceremony-error.ts";
import { EncryptedKeyError } from "../../worker/keys/encrypted-key.ts";
import { CommandError, messageOf, unexpected } from "../../terminal/failure.ts";

/** Describes an error, without credentials. */
export function describeFailure(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof ConfigError) return new CommandError("configuration_invalid", error.message);
  if (error instanceof DatabaseUnavailable) {
    const refusal = databaseFailure(error.cause);
    if (refusal !== undefined) return refusal;
    return new CommandError("database_unavailable", `The database does not answer (${safeMessageOf(error.cause)}).`);
  }
  if (error instanceof EncryptedKeyError) return new CommandError(error.code, `${capitalised(error.message)}.`);
  if (error instanceof CeremonyError) return new CommandError("ceremony_refused", `${capitalised(error.message)}.`);
  if (error instanceof AuditKeyError) return new CommandError("audit_key_unusable", error.message);
  if (error instanceof RolesMissing) {
    return new CommandError(
      "roles_missing",
      `${capitalised(error.message)}, and the login of DATABASE_URL may not create roles. Run deploy/postgres/roles.sql as a superuser.`,
    );
  }
  if (error instanceof MigrationFailed) {
    return new CommandError("migration_failed", `${withoutCredentials(error.message)}.`);
  }
  if (error instanceof SchemaAhead) return new CommandError("schema_ahead", `${error.message}.`);
  if (error instanceof SchemaForeign) return new CommandError("schema_foreign", `${error.message}.`);
  return databaseFailure(error) ?? unexpected(error, withoutCredentials);
}

/** Describes the SQLSTATEs (PostgreSQL appendix A) that point to the installation rather than to a bug. */
function databaseFailure(error: unknown): CommandError | undefined {
  const { code } = error as { code?: unknown };
  const message = safeMessageOf(error);
  if (code === "42P01" || code === "3F000" || isRoleMissing(error)) {
    return new CommandError("not_migrated", "The database is not up to date: run `migrate` (docs/upgrade.md).");
  }
  if (code === "28P01" || code === "28000" || code === "3D000") {
    return new CommandError("database_refused", `The database refuses the connection: ${message}.`);
  }
  if (code === "42501") {
    const needed = "`migrate` needs the owner of the database, everything else a member of realmpass_operator";
    return new CommandError("database_refused", `The login of DATABASE_URL may not do this (${message}); ${needed}.`);
  }
  return undefined;
}

const isRoleMissing = (error: unknown): boolean =>
  (error as { code?: unknown }).code === "22023" && /role "[^"]+" does not exist/.test(messageOf(error));

const safeMessageOf = (error: unknown): string => withoutCredentials(messageOf(error));

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
