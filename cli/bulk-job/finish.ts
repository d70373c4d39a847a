import { kindsOfJob } from "../../domain/bulk-job/job.ts";
import { exitCodes, type ExitCode } from "../../terminal/exit-codes.ts";
import type { Context } from "../context/context.ts";
import { time } from "../resources/texts.ts";
import { exitCodeOf, jobResource, isStopped, type Job } from "./job.ts";
import { watchJob } from "./watch-job.ts";

/**
 * Shows a job that was started or, if it has stopped already or with `wait` once it stops, its outcome; returns the
 * exit code.
 */
export async function follow(context: Context, job: Job, { wait }: { wait: boolean }): Promise<ExitCode> {
  if (!wait && !isStopped(job)) {
    await context.out.one(jobResource, job);
    if (job.state === "scheduled" && job.executeAt !== null) context.notify(`It runs at ${time(job.executeAt)}.`);
    context.notify(`Watch it: realmpass jobs watch ${job.id}`);
    return exitCodes.done;
  }
  return finish(context, isStopped(job) ? job : await watchJob(context, job.id));
}

/** Shows a stopped job and the possible next steps; returns the exit code. */
export async function finish(context: Context, job: Job): Promise<ExitCode> {
  await context.out.one(jobResource, job);
  for (const line of nextSteps(job, context.io.clock.now())) context.notify(line);
  return exitCodeOf(job);
}

function nextSteps(
  { id, state, error, failed, changed, kind, total, done, executeAt, revokeAt }: Job,
  now: Date,
): string[] {
  const problems = failed > 0 ? [`See what failed: realmpass jobs results ${id} --failed`] : [];
  if (state === "completed_with_errors" || state === "failed")
    return [...problems, `Try those again: realmpass jobs retry ${id}`];
  if (state === "grace") {
    return [
      ...problems,
      revokeAt === null
        ? `Everybody is locked out and keeps their devices until you decide. Let them in again: realmpass jobs undo ${id}`
        : `Everybody is locked out; their devices go offline at ${time(revokeAt)}. Undo it: realmpass jobs undo ${id}`,
      `Take the devices offline now: realmpass jobs run ${id} --confirm-total ${total - done}`,
    ];
  }
  if (state !== "ready") return problems;
  const confirm = kindsOfJob[kind].confirmed ? ` --confirm-total ${changed}` : "";
  const why =
    error === "confirmation_required" ? "The number has to be confirmed. " : "Checked; nothing is changed yet. ";
  const when = executeAt !== null && new Date(executeAt) > now ? ` at ${time(executeAt)}` : "";
  return [...problems, `${why}Run it${when}: realmpass jobs run ${id}${confirm}`];
}
