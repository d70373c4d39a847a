import { Group, Progress, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useProgressText } from "../counts.ts";
import type { Job } from "../job.ts";
import { kindsOnPage } from "../kinds.ts";
import { useAnnouncement } from "./use-announcement.ts";

/** A job's progress: a bar in three parts, the same in words, and announcements for screen readers. */
export function ProgressBar({ job }: { job: Job }) {
  const { t } = useTranslation();
  const words = useProgressText()(job);
  const announced = useAnnouncement(job);
  const { total, done, failed } = job;
  const share = (count: number) => (total === 0 ? 0 : (count / total) * 100);
  const parts = [
    { name: "done", value: share(done - failed), color: kindsOnPage[job.kind].bar },
    { name: "failed", value: share(failed), color: "red.7" },
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
            withAria={false}
            value={value}
            color={color}
            animated={job.state === "running" && name === "done"}
          />
        ))}
      </Progress.Root>
      <Group justify="space-between" gap="xs" aria-hidden>
        <Text size="sm">{words}</Text>
        <Group gap="md">
          {parts.map(({ name, color }) => (
            <Legend
              key={name}
              color={`var(--mantine-color-${color.replace(".", "-")})`}
              text={t(`jobs.progress.parts.${name}`)}
            />
          ))}
          <Legend color="var(--mantine-color-default-border)" text={t("jobs.progress.parts.remaining")} />
        </Group>
      </Group>
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
    </Stack>
  );
}

function Legend({ color, text }: { color: string; text: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <span style={{ width: 10, height: 10, borderRadius: 3, background: color }} />
      <Text size="xs" c="dimmed">
        {text}
      </Text>
    </Group>
  );
}
