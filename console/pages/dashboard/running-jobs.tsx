import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { useNumber } from "../bulk-jobs/counts.ts";
import { useJobTitle } from "../bulk-jobs/job-title.ts";
import { SmallProgress } from "../bulk-jobs/small-progress.tsx";
import type { Overview } from "./overview.ts";

/** Shows the running bulk jobs with their progress, and when the grace period for devices of offboarded people ends. */
export function RunningJobs({ jobs: { running, items, inGrace } }: { jobs: Overview["jobs"] }) {
  const { t } = useTranslation();
  const number = useNumber();
  const titleOf = useJobTitle();
  return (
    <Paper withBorder p="md" component="section">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t("dashboard.jobs.title")}
        </Title>
        <AnchorLink to="/jobs" size="sm">
          {t("dashboard.jobs.all")}
        </AnchorLink>
      </Group>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t("dashboard.jobs.none")}
        </Text>
      ) : (
        <Stack gap="md">
          {items.map((job) => (
            <Stack key={job.id} gap={4}>
              <Group justify="space-between" gap="xs">
                <AnchorLink to="/jobs/$id" params={{ id: job.id }} size="sm">
                  {titleOf(job)}
                </AnchorLink>
                <StatusBadge status={job.state} />
              </Group>
              <SmallProgress job={job} />
            </Stack>
          ))}
          {running > items.length && (
            <Text size="sm" c="dimmed">
              {t("dashboard.jobs.more", { count: running - items.length })}
            </Text>
          )}
        </Stack>
      )}
      {inGrace.length > 0 && (
        <Stack gap="xs" mt="md" component="ul" p={0} style={{ listStyle: "none" }}>
          {inGrace.map(({ id, name, total, done, revokeAt }) => (
            <Text key={id} size="sm" component="li">
              <AnchorLink to="/jobs/$id" params={{ id }} size="sm">
                {t(revokeAt === null ? "dashboard.jobs.held" : "dashboard.jobs.inGrace", {
                  count: total - done,
                  formatted: number(total - done),
                })}
              </AnchorLink>{" "}
              {revokeAt !== null && <Time at={revokeAt} relative />}
              {name !== null && ` · ${name}`}
            </Text>
          ))}
        </Stack>
      )}
    </Paper>
  );
}
