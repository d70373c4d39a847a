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

/** Of a check that compares the database with this version, while the database is of a newer one. */
export const notLookedAt = (name: string): Check =>
  warns(
    name,
    "not looked at: the database is of a newer version than this program",
    "Run the doctor of the newer version, or of the release that is to stay: docs/upgrade.md.",
  );
