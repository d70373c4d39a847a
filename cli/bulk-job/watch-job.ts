import { exitCodes } from "../../terminal/exit-codes.ts";
import { CommandError } from "../../terminal/failure.ts";
import type { Context } from "../context/context.ts";
import { asFailure } from "../context/failure.ts";
import { ServiceError } from "../service/refusal.ts";
import { jobUpdates } from "./job-updates.ts";
import { isStopped, type Job } from "./job.ts";
import { createProgress } from "./progress.ts";

/**
 * Shows a job's progress until the job stops, and returns the job. If the command ends earlier, the job continues, and
 * the command's message says so.
 */
export async function watchJob(context: Context, id: string): Promise<Job> {
  const { io, options } = context;
  const progress = createProgress(io.stderr, options);
  try {
    for await (const job of jobUpdates(await context.service(), id, io.interrupted)) {
      progress.show(job);
      if (isStopped(job)) return job;
    }
    throw new CommandError("unexpected_answer", "The job's events ended before the job did.");
  } catch (error) {
    const failure = asFailure(error, io.interrupted);
    const refused = failure instanceof ServiceError ? failure : undefined;
    // A refusal, for instance because the job does not exist or this client may not see it.
    if (refused?.status !== undefined && refused.status < 500) throw failure;
    const { code, exitCode, cause, notes } = failure;
    const reason = exitCode === exitCodes.interrupted ? "Interrupted." : failure.message;
    const message = `${reason}\n${stillRunningMessage(id)}`;
    throw refused === undefined
      ? new CommandError(code, message, { exitCode, cause, notes })
      : new ServiceError(code, message, { exitCode, cause, requestId: refused.requestId });
  } finally {
    progress.end();
  }
}

const stillRunningMessage = (id: string): string =>
  `The job continues. Watch it: realmpass jobs watch ${id}\n           Cancel it: realmpass jobs cancel ${id}`;
