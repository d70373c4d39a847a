import { Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadPart } from "../../ui/load-file.ts";
import { ChoiceButtons } from "../../ui/form/choice-buttons.tsx";
import { periods, type Period, type Series } from "./overview.ts";
import { useActivitySummary } from "./activity-words.ts";

// The chart is larger than the rest of the page and loads after the numbers.
const ActivityChart = lazy(() => loadPart(() => import("./activity-chart.tsx")));
const ActivityTable = lazy(() => loadPart(() => import("./activity-table.tsx")));

const chartHeight = 260;

const views = ["chart", "table"] as const;

/** The profiles issued and revoked, as a sentence, a chart, and a table with the same numbers. */
export function Activity({
  series,
  period,
  onPeriod,
}: {
  series: Series;
  period: Period;
  onPeriod: (period: Period) => void;
}) {
  const { t } = useTranslation();
  const summary = useActivitySummary();
  const [view, setView] = useState<(typeof views)[number]>("chart");
  return (
    <Paper withBorder p="md" component="section">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} size="h4">
              {t("dashboard.activity.title")}
            </Title>
            <Text size="sm" c="dimmed">
              {summary(series)}
            </Text>
          </div>
          <Group gap="sm">
            <ChoiceButtons
              label={t("dashboard.activity.period")}
              value={period}
              choices={periods.map((value) => ({ value, label: t(`dashboard.activity.periods.${value}`) }))}
              onChange={onPeriod}
            />
            <ChoiceButtons
              label={t("dashboard.activity.view")}
              value={view}
              choices={views.map((value) => ({ value, label: t(`dashboard.activity.views.${value}`) }))}
              onChange={setView}
            />
          </Group>
        </Group>
        <Suspense fallback={<Skeleton height={chartHeight} radius="md" />}>
          {view === "table" ? (
            <ActivityTable series={series} />
          ) : (
            <ActivityChart series={series} label={summary(series)} height={chartHeight} />
          )}
        </Suspense>
      </Stack>
    </Paper>
  );
}
