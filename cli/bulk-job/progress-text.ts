import { plain } from "../../terminal/output.ts";
import { number, time } from "../resources/texts.ts";
import type { Job } from "./job.ts";

const states = {
  checking: "Checking",
  ready: "Ready",
  scheduled: "Scheduled",
  queued: "Queued",
  running: "Running",
  grace: "Locked out",
  cancelling: "Cancelling",
  cancelled: "Cancelled",
  completed: "Completed",
  completed_with_errors: "Completed with errors",
  failed: "Failed",
} as const satisfies Record<Job["state"], string>;

const notices: Readonly<Record<string, string>> = {
  stalled: "no progress for a while; a worker may be down",
  changed_since_check: "the realm has changed since the check",
  creator_ended: "its creator may not run it any more; start it to run it in your name",
  restored: "the database was restored from a backup; look at the people again before you start it",
  confirmation_required: "waits until its number is confirmed",
};

/** Returns a line like "Running: 6,210 of 9,000 · 14 failed · 240 per second · about 1 min left". */
export function progressText({
  state,
  done,
  total,
  failed,
  skipped,
  ratePerSecond,
  etaSeconds,
  error,
  executeAt,
  revokeAt,
}: Job): string {
  const parts = [
    `${number(done)} of ${number(total)}`,
    ...(failed > 0 ? [`${number(failed)} failed`] : []),
    ...(skipped > 0 ? [`${number(skipped)} skipped`] : []),
    ...(state === "running" && ratePerSecond !== null && ratePerSecond > 0
      ? [`${number(Math.round(ratePerSecond))} per second`]
      : []),
    ...(state === "running" && etaSeconds !== null ? [`about ${duration(etaSeconds)} left`] : []),
    ...(state === "scheduled" && executeAt !== null ? [`runs at ${time(executeAt)}`] : []),
    ...(state === "grace" && revokeAt !== null ? [`devices go offline at ${time(revokeAt)}`] : []),
    ...(error === null ? [] : [notices[error] ?? plain(error)]),
  ];
  return `${states[state]}: ${parts.join(" · ")}`;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Returns a bar in three parts: succeeded, failed, remaining. If any rows succeeded or failed, their part has at least
 * one cell.
 */
export function barText({ done, failed, total }: Pick<Job, "done" | "failed" | "total">, width: number): string {
  const cells = (count: number): number =>
    count === 0 || total === 0 ? 0 : Math.max(1, Math.floor((count / total) * width));
  const failures = cells(failed);
  const successes = Math.min(cells(done - failed), width - failures);
  return `${"█".repeat(successes)}${"▒".repeat(failures)}${"░".repeat(width - successes - failures)}`;
}
