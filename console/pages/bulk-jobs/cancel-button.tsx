import { Button, Text } from "@mantine/core";
import { IconPlayerStop } from "../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { cancelJob, jobKey, jobsKey, newestOf, type Job } from "./job.ts";

/** Stops a job after the user confirms. Stopping a job before it runs loses only the upload. */
export function CancelButton({ job }: { job: Job }) {
  const { t } = useTranslation();
  const ask = useAskToCancel();
  const begun = job.startedAt !== null;
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerStop size={16} aria-hidden />}
      onClick={() => {
        ask(job);
      }}
    >
      {begun ? t("jobs.cancel.button") : t("jobs.discard.button")}
    </Button>
  );
}

/** Returns a function that stops a job after the user confirms. */
export function useAskToCancel(): (job: Job) => void {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (job) => {
    const words = job.startedAt === null ? "jobs.discard" : "jobs.cancel";
    confirm({
      title: t(`${words}.title`, { kind: t(`jobs.kinds.${job.kind}`) }),
      children: <Text size="sm">{t(`${words}.text`)}</Text>,
      confirmLabel: t(`${words}.confirm`),
      async onConfirm() {
        const cancelled = await cancelJob(job.id);
        queries.setQueryData<Job>(jobKey(job.id), (known) => newestOf(known, cancelled));
        await queries.invalidateQueries({ queryKey: [jobsKey] });
      },
    });
  };
}
