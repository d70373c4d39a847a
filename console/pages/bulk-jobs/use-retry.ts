import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { jobKey, jobsKey, retryJob, type Job } from "./job.ts";

/**
 * Retries a job's failed rows, and the rows that an internal error prevented from running, in a new job, and opens the
 * new job.
 */
export function useRetry(id: string): UseMutationResult<Job, Error, void> {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());
  return useMutation({
    mutationFn: () => retryJob(id, key),
    async onSuccess(next) {
      queries.setQueryData(jobKey(next.id), next);
      await queries.invalidateQueries({ queryKey: [jobsKey] });
      await navigate({ to: "/jobs/$id", params: { id: next.id } });
    },
  });
}
