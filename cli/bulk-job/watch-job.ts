import type { Context } from "../context/context.ts";
import { asFailure, CliError, exitCodes } from "../failure.ts";
import { rests, type Job } from "./job.ts";
import { jobUpdates } from "./job-updates.ts";
import { createProgress } from "./progress.ts";

/** Shows a job's progress until it rests. Whatever ends this earlier, the job goes on, and the message says so. */
export async function watchJob(context: Context, id: string): Promise<Job> {
  const { io, options } = context;
  const progress = createProgress(io.stderr, options);
  try {
    for await (const job of jobUpdates(await context.service(), id, io.interrupted)) {
      progress.show(job);
      if (rests(job)) return job;
    }
    throw new CliError("unexpected_answer", "The job's events ended before the job did.");
  } catch (error) {
    const failure = asFailure(error, io.interrupted);
    // Refused: there is no such job, or it is not ours to see.
    if (failure.status !== undefined && failure.status < 500) throw failure;
    const reason = failure.exitCode === exitCodes.interrupted ? "Interrupted." : failure.message;
    throw new CliError(failure.code, `${reason}\n${goesOn(id)}`, {
      exitCode: failure.exitCode,
      cause: failure.cause,
      ...(failure.requestId === undefined ? {} : { requestId: failure.requestId }),
    });
  } finally {
    progress.end();
  }
}

export const goesOn = (id: string): string =>
  `The job goes on. Watch it: realmpass jobs watch ${id}\n           Cancel it: realmpass jobs cancel ${id}`;
