import { Unstartable } from "../runtime/config/unstartable.ts";

/** Roles are missing, and the migrating login may not create them. */
export class RolesMissing extends Error {
  override readonly name = "RolesMissing";
  constructor(missing: readonly string[]) {
    super(`the database lacks ${missing.join(", ")}`);
  }
}

/** A migration that Postgres rejected. The message contains no statement. */
export class MigrationFailed extends Error {
  override readonly name = "MigrationFailed";
  readonly migration: string;
  readonly sqlState: string;
  constructor(migration: string, message: string, { sqlState, ...options }: ErrorOptions & { sqlState: string }) {
    super(`Migration ${migration} failed: ${message} (SQLSTATE ${sqlState})`, options);
    this.migration = migration;
    this.sqlState = sqlState;
  }

  /** Returns the same failure with another message. */
  because(message: string): MigrationFailed {
    return new MigrationFailed(this.migration, message, { sqlState: this.sqlState, cause: this });
  }
}

/** A newer version has migrated the database and removed something that this version needs. */
export class SchemaAhead extends Unstartable {
  override readonly name = "SchemaAhead";
  readonly minimum: string;
  constructor(minimum: string) {
    super(
      `The database is of a newer version, which this one may not use: this version has no migration ${minimum}. Run the release that migrated the database`,
    );
    this.minimum = minimum;
  }
}

/**
 * The database has migrations that this version lacks, and lacks migrations that this version has, so neither version
 * follows the other.
 */
export class SchemaForeign extends Unstartable {
  override readonly name = "SchemaForeign";
  constructor({ newer, pending }: { newer: readonly string[]; pending: readonly string[] }) {
    super(
      `This version cannot migrate the database: it has no migration ${newer.join(", ")}, and the database has not had ${pending.join(", ")}. Run the release that migrated the database, or one that came after it`,
    );
  }
}
