/** One thing that was looked at. */
export interface Check {
  name: string;
  /** False: it does not work, and the command fails. A warning is true. */
  ok: boolean;
  status: "ok" | "warn" | "fail";
  message: string;
  /** What to do about it; null when there is nothing to do. */
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
