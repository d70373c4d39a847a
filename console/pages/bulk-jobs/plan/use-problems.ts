import { useThrottledValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { isFinal, type Job, type JobRow } from "../job.ts";
import { readProblems } from "./read-problems.ts";

const apartMs = 2_000;

/** The rows of a job that failed, or would, read again while more of them come. */
export function useProblems(job: Job, max: number): UseQueryResult<JobRow[]> {
  const { id } = job;
  const settled = `${stageOf(job)} ${job.failed}`;
  // Every count would be a request; a reading every other second is enough.
  const read = useThrottledValue(settled, apartMs);
  return useQuery({
    queryKey: ["job problems", id, max, read],
    queryFn: ({ signal }) => readProblems(id, { max, signal }),
    enabled: job.failed > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** What a row's status means differs between these. */
const stageOf = (job: Job): string => (isFinal(job) ? "over" : job.startedAt === null ? "check" : "run");
