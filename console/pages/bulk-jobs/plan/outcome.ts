import type { JobKind, RowStatus } from "../../../../domain/bulk-job/job.ts";

/** The badge of a row. */
export type Outcome = "new" | "changed" | "unchanged" | "failed" | "skipped";

/**
 * Returns the outcome that the check expects for a row: an onboarding adds the person if the row matches nobody in the
 * realm.
 */
export function outcomeOf(kind: JobKind, { status, user }: { status: RowStatus; user: string | null }): Outcome {
  if (status === "changed") return kind === "onboarding" && user === null ? "new" : "changed";
  return status === "unchanged" || status === "failed" ? status : "skipped";
}
