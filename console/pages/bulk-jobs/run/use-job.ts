import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { findJob, isFinal, jobKey, newestOf, type Job } from "../job.ts";
import { watchJob } from "./watch-job.ts";

/** Loads a job and keeps it up to date while it changes. */
export function useJob(id: string): UseQueryResult<Job> {
  const queries = useQueryClient();
  const key = jobKey(id);
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => newestOf(queries.getQueryData<Job>(key), await findJob(id, signal)),
    // After the first load, events keep the job up to date.
    refetchOnWindowFocus: false,
  });
  const isUnfinished = query.data !== undefined && !isFinal(query.data);
  useEffect(() => (isUnfinished ? watchJob(id, queries) : undefined), [isUnfinished, id, queries]);
  return query;
}
