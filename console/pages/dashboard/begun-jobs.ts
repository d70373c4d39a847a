import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { findJobs, jobsKey, type Job } from "../bulk-jobs/job.ts";
import { marksMax } from "./job-marks.tsx";
import { refetchMs } from "./overview.ts";

/** Loads the newest bulk jobs that began after the given time, and the number of all such jobs. */
export const useBegunJobs = (since: string | undefined): UseQueryResult<{ data: Job[]; total?: number }> =>
  useQuery({
    queryKey: [jobsKey, "begun", since],
    queryFn: ({ signal }) => {
      const filter: Record<string, string> = since === undefined ? {} : { minStarted: since };
      return findJobs({ limit: marksMax, offset: 0, filter, sort: { createdAt: "desc" } }, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
