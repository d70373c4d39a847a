import type { QueryClient } from "@tanstack/react-query";
import { followJob } from "./follow-job.ts";
import { unreachableKey, isFinal, jobKey, jobsKey, newestOf, isStopped, type Job } from "../job.ts";
import { notifyFinished } from "./notify-finished.ts";

interface Watch {
  /** The number of components that show the job. */
  shown: number;
  stop: () => void;
}

const watches = new Map<string, Watch>();

/**
 * Keeps a job in the cache up to date. If the user leaves the job's page while the job runs, any other page of the
 * console reports the job's end. Returns a function to call when a component no longer shows the job.
 */
export function watchJob(id: string, queries: QueryClient): () => void {
  const watch = watches.get(id) ?? begin(id, queries);
  watch.shown += 1;
  return () => {
    watch.shown -= 1;
    const job = queries.getQueryData<Job>(jobKey(id));
    if (watch.shown === 0 && (job === undefined || isStopped(job))) end(id);
  };
}

function begin(id: string, queries: QueryClient): Watch {
  let going = false;
  const hear = (heard: Job) => {
    const job = newestOf(queries.getQueryData<Job>(jobKey(id)), heard);
    queries.setQueryData(jobKey(id), job);
    if (isFinal(job)) {
      void queries.invalidateQueries({ queryKey: [jobsKey] });
      if (job.undoOf !== null) void queries.invalidateQueries({ queryKey: jobKey(job.undoOf) });
      end(id);
      if (going) notifyFinished(job);
    } else if (isStopped(job) && watch.shown === 0) end(id);
    going = !isStopped(job);
  };
  const reach = (reached: boolean) => {
    queries.setQueryData(unreachableKey(id), !reached);
  };
  const watch: Watch = { shown: 0, stop: followJob(id, { hear, reach }) };
  watches.set(id, watch);
  return watch;
}

function end(id: string): void {
  watches.get(id)?.stop();
  watches.delete(id);
}
