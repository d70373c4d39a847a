import { Alert } from "@mantine/core";
import { IconClock } from "../../../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { placeOf, type Job } from "../job.ts";

/** Shows that a job is waiting for its turn, and its place in the queue. */
export function QueuePlace({ job }: { job: Job }) {
  const { t } = useTranslation();
  const { data: place } = useQuery({
    queryKey: ["job place", job.id],
    queryFn: ({ signal }) => placeOf(job, signal),
    refetchInterval: 5_000,
  });
  return (
    <Alert color="cyan" icon={<IconClock aria-hidden />} title={t("jobs.queued.title")} role="status">
      {place === undefined ? t("jobs.queued.text") : t("jobs.queued.place", { place })}
    </Alert>
  );
}
