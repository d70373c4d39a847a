import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconClock, IconUserOff, IconWifiOff } from "../../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Allowed } from "../../../session/allowed.tsx";
import { confirm } from "../../../ui/dialog/confirm.tsx";
import { Time, formatRelative, formatTime } from "../../../ui/value/time.tsx";
import { useNumber } from "../counts.ts";
import { jobKey, jobsKey, newestOf, startJob, type Job } from "../job.ts";
import { UndoSection } from "../plan/undo-section.tsx";

/**
 * Shows an offboarding whose people are locked out but whose devices still work: until when they work, and what the
 * user can do until that time. An offboarding that a directory's guard holds waits for the user.
 */
export function GraceStage({ job }: { job: Job }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const number = useNumber();
  const people = job.total - job.done;
  const counted = { count: people, formatted: number(people) };
  const isHeld = job.revokeAt === null;
  const askForNow = () => {
    const key = crypto.randomUUID();
    confirm({
      title: isHeld ? t("jobs.held.revokeTitle", counted) : t("jobs.grace.nowTitle"),
      children: <Text size="sm">{t("jobs.grace.nowText", { count: people })}</Text>,
      confirmLabel: isHeld ? t("jobs.held.revoke", counted) : t("jobs.grace.now"),
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
      {job.revokeAt === null ? (
        <Alert color="red" icon={<IconUserOff aria-hidden />} title={t("jobs.held.title", counted)} role="status">
          <Stack gap="sm">
            <Text size="sm">{t("jobs.held.text")}</Text>
            <Allowed to="changeJob">
              <Group>
                <Button size="xs" color="red" leftSection={<IconWifiOff size={16} aria-hidden />} onClick={askForNow}>
                  {t("jobs.held.revoke", counted)}
                </Button>
              </Group>
            </Allowed>
          </Stack>
        </Alert>
      ) : (
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
            <Countdown job={job} until={job.revokeAt} />
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
        <UndoSection job={job} {...(isHeld && { title: t("jobs.held.back"), check: t("jobs.held.checkBack") })} />
      </Allowed>
    </Stack>
  );
}

const dayMs = 86_400_000;

/** Shows the remaining days of the grace period as a bar that empties. */
function Countdown({ job: { graceDays }, until }: { job: Job; until: string }) {
  const { t, i18n } = useTranslation();
  if (graceDays === null) return null;
  const end = new Date(until);
  const now = new Date();
  const left = Math.min(1, Math.max(0, (end.getTime() - now.getTime()) / (graceDays * dayMs)));
  return (
    <Progress.Root
      size={12}
      style={{ forcedColorAdjust: "none" }}
      role="meter"
      aria-label={t("jobs.grace.left")}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(left * 100)}
      aria-valuetext={formatRelative(end, now, i18n.language)}
    >
      <Progress.Section withAria={false} value={left * 100} color="yellow.8" />
    </Progress.Root>
  );
}
