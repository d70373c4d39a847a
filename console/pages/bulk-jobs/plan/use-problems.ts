import { useThrottledValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useIncludedNames } from "../../../ui/value/device.tsx";
import { isFinal, type Job } from "../job.ts";
import { loadRows, type PersonRow } from "./load-rows.ts";

const apartMs = 2_000;

/**
 * Returns the first rows of a job that failed or would fail, with the names of their people, and reloads the rows as
 * more fail.
 */
export function useProblems(job: Job, max: number): UseQueryResult<PersonRow[]> {
  const { id } = job;
  const beside = useIncludedNames();
  const settled = `${stageOf(job)} ${job.failed}`;
  // Limits reloading to once every two seconds: otherwise every new count would send a request.
  const read = useThrottledValue(settled, apartMs);
  return useQuery({
    queryKey: ["job problems", id, max, read],
    queryFn: async ({ signal }) =>
      (await loadRows(id, { limit: max, offset: 0, filter: { status: "failed" }, ...beside }, signal)).data,
    enabled: job.failed > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** Returns the stage of a job: a row's status has a different meaning in each stage. */
const stageOf = (job: Job): string => (isFinal(job) ? "over" : job.startedAt === null ? "check" : "run");
