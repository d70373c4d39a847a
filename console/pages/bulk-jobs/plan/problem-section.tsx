import { Group, Stack, Text, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { CauseTable } from "./cause-table.tsx";
import { DownloadButton } from "../download-button.tsx";
import { findProblems, type Job } from "../job.ts";

/**
 * Shows why rows of a stopped job failed or would fail. Before the job starts, offers these rows as a file that the
 * user can correct and upload again.
 */
export function ProblemSection({ job, title }: { job: Job; title: string }) {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["job causes", job.id, job.state, job.failed],
    queryFn: ({ signal }) => findProblems(job.id, signal),
    enabled: job.failed > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  if (job.failed === 0) return null;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        {job.state === "ready" && <DownloadButton job={job} status="failed" label={t("jobs.download.problems")} />}
      </Group>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        isFetching && <Text c="dimmed">{t("shell.loading")}</Text>
      ) : (
        <CauseTable job={job} problems={data} caption={title} />
      )}
    </Stack>
  );
}
