import type { Colors } from "picocolors/types.js";
import type { components } from "../../contract-types/api-types.ts";
import { exitCodes, type ExitCode } from "../../terminal/exit-codes.ts";
import type { Resource } from "../output/resource.ts";
import { number, time } from "../resources/texts.ts";

export type Job = components["schemas"]["Job"];

const finalStates: ReadonlySet<Job["state"]> = new Set([
  "cancelled",
  "completed",
  "completed_with_errors",
  "failed",
] as const);

/**
 * Returns true if a job does not advance without an action, at least for days: it has ended, waits to be started, or is
 * in its grace period.
 */
export const isStopped = ({ state }: Job): boolean => finalStates.has(state) || state === "ready" || state === "grace";

/** Returns the exit code of a command that waited for this job. */
export function exitCodeOf({ state, dryRun, failed }: Job): ExitCode {
  if (state === "completed_with_errors" || state === "cancelled") return exitCodes.partly;
  if (state === "failed") return exitCodes.error;
  // The user wanted the job to run, but it stopped before it ran.
  if (state === "ready" && !dryRun) return exitCodes.error;
  return failed > 0 ? exitCodes.partly : exitCodes.done;
}

export type JobProblem = components["schemas"]["JobProblem"];

export const problemResource: Resource<JobProblem> = {
  fields: ["error", "column", "message", "count", "rows"],
  columns: [
    { title: "Rows", text: ({ count }) => number(count) },
    { title: "Problem", text: ({ error }) => error },
    { title: "Column", text: ({ column }) => column ?? "" },
    { title: "Message", text: ({ message }) => message },
    { title: "First rows", text: ({ rows }) => rows.join(", ") },
  ],
};

export const jobResource: Resource<Job> = {
  fields: [
    "id",
    "kind",
    "state",
    "dryRun",
    "createdAt",
    "startedAt",
    "finishedAt",
    "executeAt",
    "createdBy",
    "total",
    "done",
    "changed",
    "unchanged",
    "failed",
    "skipped",
    "ratePerSecond",
    "etaSeconds",
    "error",
    "origin",
    "reason",
    "graceDays",
    "revokeAt",
    "undoOf",
    "undoneBy",
    "undoUntil",
    "name",
    "rowOffset",
    "affectedProfiles",
    "hasOutput",
  ],
  columns: [
    { title: "Job", text: ({ id }) => id },
    { title: "Kind", text: ({ kind }) => kind },
    { title: "State", text: stateText },
    { title: "Total", text: ({ total }) => number(total) },
    { title: "Changed", text: ({ changed }) => number(changed) },
    { title: "Unchanged", text: ({ unchanged }) => number(unchanged) },
    { title: "Failed", text: ({ failed }, colors) => (failed > 0 ? colors.red(number(failed)) : number(failed)) },
    { title: "Skipped", text: ({ skipped }) => number(skipped) },
    { title: "Created", text: ({ createdAt }) => time(createdAt) },
  ],
};

function stateText({ state, error }: Job, colors: Colors): string {
  const text = error === null ? state : `${state} (${error})`;
  if (state === "completed") return colors.green(text);
  if (state === "failed" || error !== null) return colors.red(text);
  return state === "completed_with_errors" ? colors.yellow(text) : text;
}
