import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconClock, IconWifiOff } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Allowed } from "../../../session/allowed.tsx";
import { confirm } from "../../../ui/dialog/confirm.tsx";
import { Time, formatTime } from "../../../ui/value/time.tsx";
import { jobKey, jobsKey, newestOf, startJob, type Job } from "../job.ts";
import { UndoSection } from "../plan/undo-section.tsx";

/**
 * An offboarding whose people are locked out and whose devices are still on: until when, and what the user can do
 * meanwhile.
 */
export function GraceStage({ job }: { job: Job }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const people = job.total - job.done;
  const askForNow = () => {
    const key = crypto.randomUUID();
    confirm({
      title: t("jobs.grace.nowTitle"),
      children: <Text size="sm">{t("jobs.grace.nowText", { count: people })}</Text>,
      confirmLabel: t("jobs.grace.now"),
      typed: String(people),
      async onConfirm() {
        const started = await startJob(job.id, { confirmTotal: people }, key);
        queries.setQueryData<Job>(jobKey(job.id), (known) => newestOf(known, started));
        await queries.invalidateQueries({ queryKey: [jobsKey] });
      },
    });
  };
  return (
    <Stack gap="lg">
      {job.revokeAt !== null && (
        <Alert
          color="yellow"
          icon={<IconClock aria-hidden />}
          title={t("jobs.grace.title", { date: formatTime(new Date(job.revokeAt), i18n.language) })}
          role="status"
        >
          <Stack gap="sm">
            <Text size="sm">{t("jobs.grace.text")}</Text>
            <Text size="sm">
              <Time at={job.revokeAt} relative />
            </Text>
            <Allowed to="changeJob">
              <Group>
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconWifiOff size={16} aria-hidden />}
                  onClick={askForNow}
                >
                  {t("jobs.grace.now")}
                </Button>
              </Group>
            </Allowed>
          </Stack>
        </Alert>
      )}
      <Allowed to="changeJob">
        <UndoSection job={job} />
      </Allowed>
    </Stack>
  );
}
