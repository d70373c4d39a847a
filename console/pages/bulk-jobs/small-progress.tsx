import { Progress, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNumber } from "./counts.ts";
import type { Job } from "./job.ts";
import { kindsOnPage } from "./kinds.ts";

/** Shows a job's progress in a small space. */
export function SmallProgress({ job: { kind, done, total, failed } }: { job: Job }) {
  const { t } = useTranslation();
  const number = useNumber();
  const words = [
    t("jobs.progress.of", { done: number(done), total: number(total) }),
    ...(failed > 0 ? [t("jobs.progress.failed", { failed: number(failed) })] : []),
  ].join(" · ");
  const share = (count: number) => (total === 0 ? 0 : (count / total) * 100);
  return (
    <Stack gap={4} miw={150}>
      <Progress.Root
        size="sm"
        role="progressbar"
        aria-label={t("jobs.progress.label", { kind: t(`jobs.kinds.${kind}`) })}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        aria-valuetext={words}
      >
        <Progress.Section withAria={false} value={share(done - failed)} color={kindsOnPage[kind].bar} />
        <Progress.Section data-part="failed" withAria={false} value={share(failed)} color="red.7" />
      </Progress.Root>
      <Text size="xs" c="dimmed">
        {words}
      </Text>
    </Stack>
  );
}
