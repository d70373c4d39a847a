import { setTimeout as pause } from "node:timers/promises";
import type { Job } from "../../../../db/queries/bulk-job/jobs.ts";
import type { Deps } from "../../../contract/deps.ts";
import { jobView } from "../../../contract/views/job-view.ts";

/** The shortest time between two events: at most four are sent per second. */
const eventsApartMs = 250;

/** How often the stream sends a comment to show that it is alive, and checks that the client still has access. */
const defaultCommentMs = 15_000;

/** How long a browser waits before it reconnects. */
const reconnectMs = 1_000;

interface Following {
  deps: Pick<Deps, "jobs" | "clock" | "settings">;
  /** The revision that the client has seen; -1 for a new client. */
  after: number;
  /** Null: access does not end. */
  admittedUntil: Date | null;
  stillAdmitted: () => Promise<boolean>;
  signal: AbortSignal;
}

/**
 * Yields a job's changes as an event stream (the HTML standard, "Server-sent events"), until the job has ended or is
 * gone, the client has lost access, or the api stops. An event's id is the job's revision. An event without a new
 * revision, such as a report of a stall, has no id, so ids never repeat.
 */
export async function* jobEvents(
  jobId: string,
  { deps: { jobs, clock, settings }, after, admittedUntil, stillAdmitted, signal }: Following,
): AsyncGenerator<string> {
  const { jobCommentMs: commentMs = defaultCommentMs } = settings;
  const watch = jobs.watch(jobId);
  let known = after;
  let stalled = false;
  let commentAt = performance.now() + commentMs;
  try {
    yield `retry: ${reconnectMs}\n\n`;
    for (;;) {
      const left = admittedUntil === null ? Infinity : admittedUntil.getTime() - clock.now().getTime();
      const job = await watch.next(Math.min(left, commentAt - performance.now()), signal);
      if (job === "over" || (admittedUntil !== null && clock.now() >= admittedUntil)) return;
      if (performance.now() >= commentAt) {
        if (!(await stillAdmitted())) return;
        commentAt = performance.now() + commentMs;
        yield ": still here\n\n";
      }
      if (job === "quiet") continue;

      const ended = job.finishedAt !== null;
      const isNew = job.revision > known;
      if (!isNew && job.stalled === stalled && !ended) continue;
      yield eventOf(job, { at: clock.now(), withId: isNew });
      if (ended) return;
      known = Math.max(known, job.revision);
      stalled = job.stalled;
      await pause(eventsApartMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    watch.end();
  }
}

const eventOf = (job: Job, { at, withId }: { at: Date; withId: boolean }): string =>
  `${withId ? `id: ${job.revision}\n` : ""}data: ${JSON.stringify(jobView(job, at))}\n\n`;
