import { finalJobStates, type JobState } from "../../../domain/bulk-job/job.ts";

export const steps = ["file", "check", "confirm", "run", "result"] as const;
export type Step = (typeof steps)[number];

interface StepsOf {
  state: JobState;
  dryRun: boolean;
  startedAt: string | null;
}

/** Returns the current step of a job. */
export function stepOf({ state }: Pick<StepsOf, "state">): Step {
  if (state === "checking") return "check";
  if (state === "ready") return "confirm";
  return state === "scheduled" || state === "queued" || state === "running" || state === "cancelling"
    ? "run"
    : "result";
}

/**
 * Returns the completed steps before the current one. A job that starts without a confirmation has no completed
 * confirmation step, and a job that was discarded or had nothing to do has no completed run step.
 */
export function stepsMade(job: StepsOf): ReadonlySet<Step> {
  const at = steps.indexOf(stepOf(job));
  const started = job.startedAt !== null || job.state === "scheduled" || job.state === "queued";
  const made: Readonly<Record<Step, boolean>> = {
    file: true,
    check: true,
    confirm: job.dryRun && started,
    run: job.startedAt !== null,
    result: false,
  };
  return new Set(steps.filter((step, index) => index < at && made[step]));
}

const finalStates: ReadonlySet<JobState> = new Set(finalJobStates);

/** Returns the state to show: an ended offboarding that was undone is shown as undone. */
export const shownState = ({ state, undoneBy }: { state: JobState; undoneBy: string | null }): JobState | "undone" =>
  undoneBy !== null && finalStates.has(state) ? "undone" : state;
