/** Roles are missing, and the migrating login may not make them. */
export class RolesMissing extends Error {
  override readonly name = "RolesMissing";
  constructor(missing: readonly string[]) {
    super(`the database lacks ${missing.join(", ")}`);
  }
}

/** A migration that Postgres refused. The message has no statement in it. */
export class MigrationFailed extends Error {
  override readonly name = "MigrationFailed";
  constructor(migration: string, message: string, options: ErrorOptions & { sqlState: string }) {
    super(`Migration ${migration} failed: ${message} (SQLSTATE ${options.sqlState})`, options);
  }
}
