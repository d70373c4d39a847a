import { Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { useNumber } from "./counts.ts";
import { DownloadButton } from "./download-button.tsx";
import type { Job } from "./job.ts";
import { ProblemTable } from "./problem-table.tsx";
import { useProblems } from "./use-problems.ts";

const shownMax = 100;

/** The first problems of a job that rests, and all of them as a file that can be corrected and uploaded again. */
export function ProblemSection({ job, title }: { job: Job; title: string }) {
  const { t } = useTranslation();
  const number = useNumber();
  const { data, error, isFetching, refetch } = useProblems(job, shownMax);
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
        <ProblemTable rows={data} caption={title} />
      )}
      {job.failed > shownMax && (
        <Text size="sm" c="dimmed">
          {t("jobs.problem.first", { shown: number(shownMax), count: job.failed, formatted: number(job.failed) })}
        </Text>
      )}
    </Stack>
  );
}
