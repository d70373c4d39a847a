import { useThrottledValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { isFinal, type Job, type JobRow } from "../job.ts";
import { readProblems } from "./read-problems.ts";

const apartMs = 2_000;

/** Returns the rows of a job that failed or would fail, and reads them again as more fail. */
export function useProblems(job: Job, max: number): UseQueryResult<JobRow[]> {
  const { id } = job;
  const settled = `${stageOf(job)} ${job.failed}`;
  // Every new count would send a request; one reading every two seconds is enough.
  const read = useThrottledValue(settled, apartMs);
  return useQuery({
    queryKey: ["job problems", id, max, read],
    queryFn: ({ signal }) => readProblems(id, { max, signal }),
    enabled: job.failed > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** Returns the stage of a job: a row's status has a different meaning in each. */
const stageOf = (job: Job): string => (isFinal(job) ? "over" : job.startedAt === null ? "check" : "run");
