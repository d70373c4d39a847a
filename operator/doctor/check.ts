/** The result of one check. */
export interface Check {
  name: string;
  /** False: something does not work, and the command fails. True for a warning. */
  ok: boolean;
  status: "ok" | "warn" | "fail";
  message: string;
  /** The remedy; null if nothing is wrong. */
  remedy: string | null;
}

export const passes = (name: string, message: string): Check => ({
  name,
  ok: true,
  status: "ok",
  message,
  remedy: null,
});

export const warns = (name: string, message: string, remedy: string): Check => ({
  name,
  ok: true,
  status: "warn",
  message,
  remedy,
});

export const fails = (name: string, message: string, remedy: string): Check => ({
  name,
  ok: false,
  status: "fail",
  message,
  remedy,
});

/** The remedy if a newer version migrated the database: only the doctor of that version can judge it. */
export const newerRemedy = "Run the doctor of the release that migrated the database: docs/upgrade.md#going-back.";

/** Returns the warning that a check was skipped because the database is of a newer version than this program. */
export const notLookedAt = (name: string, differences?: string): Check =>
  warns(
    name,
    `not looked at: the database is of a newer version than this program${differences === undefined ? "" : ` (${differences})`}`,
    newerRemedy,
  );
