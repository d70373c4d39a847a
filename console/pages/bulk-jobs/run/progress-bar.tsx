import { Group, Progress, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useProgressText } from "../counts.ts";
import type { Job } from "../job.ts";
import { kindsOnPage, type CountName } from "../kinds.ts";
import { useAnnouncement } from "./use-announcement.ts";

/**
 * Shows a job's progress: a bar with the rows that were changed, needed no change or failed, the progress in words, and
 * announcements for screen readers.
 */
export function ProgressBar({ job }: { job: Job }) {
  const { t } = useTranslation();
  const words = useProgressText()(job);
  const announced = useAnnouncement(job);
  const { total, done, changed, unchanged, failed } = job;
  const { bar, counts } = kindsOnPage[job.kind];
  const names: readonly [CountName, CountName] =
    job.state === "checking" ? [counts.willChange, counts.isSo] : [counts.changed, counts.wasSo];
  const share = (count: number) => (total === 0 ? 0 : (count / total) * 100);
  const parts = [
    { name: "changed", text: t(`jobs.counts.${names[0]}`), value: share(changed), color: bar },
    { name: "unchanged", text: t(`jobs.counts.${names[1]}`), value: share(unchanged), color: "cyan.7" },
    { name: "failed", text: t("jobs.progress.parts.failed"), value: share(failed), color: "red.7" },
  ] as const;
  return (
    <Stack gap="xs">
      <Progress.Root
        size={20}
        role="progressbar"
        aria-label={t("jobs.progress.label", { kind: t(`jobs.kinds.${job.kind}`) })}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        aria-valuetext={words}
      >
        {parts.map(({ name, value, color }) => (
          <Progress.Section
            key={name}
            data-part={name}
            withAria={false}
            value={value}
            color={color}
            animated={job.state === "running" && name === "changed"}
          />
        ))}
      </Progress.Root>
      <Group justify="space-between" gap="xs" aria-hidden>
        <Text size="sm">{words}</Text>
        <Group gap="md">
          {parts.map(({ name, text, color }) => (
            <Legend key={name} part={name} color={`var(--mantine-color-${color.replace(".", "-")})`} text={text} />
          ))}
          <Legend
            part="remaining"
            color="var(--mantine-color-default-border)"
            text={t("jobs.progress.parts.remaining")}
          />
        </Group>
      </Group>
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
    </Stack>
  );
}

function Legend({ part, color, text }: { part: string; color: string; text: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <span data-part={part} style={{ width: 10, height: 10, borderRadius: 3, backgroundColor: color }} />
      <Text size="xs" c="dimmed">
        {text}
      </Text>
    </Group>
  );
}
