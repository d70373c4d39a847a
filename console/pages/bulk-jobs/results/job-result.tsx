import { Alert, Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconEraser, IconKey, IconRefresh } from "../../../ui/icons.tsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Allowed } from "../../../session/allowed.tsx";
import { useMay } from "../../../session/may.ts";
import { useSession } from "../../../session/session.tsx";
import { confirm } from "../../../ui/dialog/confirm.tsx";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { notifyDone } from "../../../ui/notice/notify.tsx";
import { CountCards } from "../count-cards.tsx";
import { DownloadButton } from "../download-button.tsx";
import { canBeRetried, eraseOutput, type Job } from "../job.ts";
import { kindsOnPage } from "../kinds.ts";
import { ProblemSection } from "../plan/problem-section.tsx";
import { UndoSection } from "../plan/undo-section.tsx";
import { useRetry } from "../use-retry.ts";
import { jobOutputHours } from "../../../../domain/lifetimes.ts";

/** Shows the outcome of a job: its counts, its results as a file, and the possible next steps. */
export function JobResult({ job }: { job: Job }) {
  const { t } = useTranslation();
  const retry = useRetry(job.id);
  const names = kindsOnPage[job.kind].counts;
  const counts = [
    { name: names.changed, value: job.changed },
    { name: names.wasSo, value: job.unchanged },
    { name: "failed", value: job.failed },
    ...(job.skipped > 0 ? [{ name: "skipped", value: job.skipped } as const] : []),
  ] as const;
  const mayChange = useMay()("changeJob");
  return (
    <Stack gap="lg">
      <CountCards counts={counts} />
      <Stack gap="xs">
        <Title order={2} size="h4">
          {t("jobs.result.title")}
        </Title>
        <Group>
          <DownloadButton job={job} label={t("jobs.download.all")} primary />
          {job.failed > 0 && <DownloadButton job={job} status="failed" label={t("jobs.download.failed")} />}
          {canBeRetried(job) && mayChange && (
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={retry.isPending}
              onClick={() => {
                retry.mutate();
              }}
            >
              {t(job.state === "failed" ? "jobs.retry.resume" : "jobs.retry.button")}
            </Button>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {job.failed > 0 ? t("jobs.result.correct") : t("jobs.result.again")}
        </Text>
        {retry.error !== null && <ErrorNotice error={retry.error} />}
      </Stack>
      {job.hasOutput && <OutputNotice job={job} />}
      {job.undoUntil !== null && mayChange && <UndoSection job={job} />}
      <ProblemSection job={job} title={t("jobs.result.problems")} />
    </Stack>
  );
}

/** Shows who can read the files of new profiles and until when, and lets the user erase those files earlier. */
function OutputNotice({ job }: { job: Job }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const [erased, setErased] = useState(false);
  const endsAt = job.finishedAt === null ? 0 : new Date(job.finishedAt).getTime() + jobOutputHours * 3_600_000;
  if (erased || endsAt < Date.now()) return null;
  return (
    <Alert color="gray" icon={<IconKey aria-hidden />} title={t("jobs.output.title")}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t(job.createdBy === user.userID ? "jobs.output.own" : "jobs.output.others", { hours: jobOutputHours })}
        </Text>
        <Allowed to="changeJob">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconEraser size={16} aria-hidden />}
            onClick={() => {
              confirm({
                title: t("jobs.erase.title"),
                children: <Text size="sm">{t("jobs.erase.text")}</Text>,
                confirmLabel: t("jobs.erase.confirm"),
                async onConfirm() {
                  await eraseOutput(job.id);
                  setErased(true);
                  notifyDone(t("jobs.erase.done"));
                },
              });
            }}
          >
            {t("jobs.erase.button")}
          </Button>
        </Allowed>
      </Stack>
    </Alert>
  );
}
