import { Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { Suspense, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ChoiceButtons } from "../form/choice-buttons.tsx";
import { ErrorNotice } from "../notice/error-notice.tsx";
import { PictureTable, type Numbers } from "./picture-table.tsx";

const views = ["chart", "table"] as const;

/** Shows a chart with its summary, and a table with the same numbers. */
export function Picture<Data>({
  title,
  loaded: { data, error, refetch },
  summary,
  chart,
  table,
  choices,
  children,
}: {
  title: string;
  loaded: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  /** Describes the chart in one sentence. */
  summary: (data: Data) => string;
  chart: (data: Data) => ReactNode;
  table: (data: Data) => Numbers;
  /** Further buttons, in front of the buttons for chart and table. */
  choices?: ReactNode;
  /** Shown below the chart. */
  children?: (data: Data) => ReactNode;
}) {
  const { t } = useTranslation();
  const [view, setView] = useState<(typeof views)[number]>("chart");
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div style={{ minWidth: 0 }}>
            <Title order={2} size="h4">
              {title}
            </Title>
            {data !== undefined && (
              <Text size="sm" c="dimmed">
                {summary(data)}
              </Text>
            )}
          </div>
          <Group gap="sm">
            {choices}
            <ChoiceButtons
              label={t("dashboard.activity.view")}
              value={view}
              choices={views.map((value) => ({ value, label: t(`dashboard.activity.views.${value}`) }))}
              onChange={setView}
            />
          </Group>
        </Group>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data === undefined ? (
          error === null && <Loading />
        ) : (
          <Suspense fallback={<Loading />}>
            {view === "table" ? <PictureTable label={title} {...table(data)} /> : chart(data)}
            {children?.(data)}
          </Suspense>
        )}
      </Stack>
    </Paper>
  );
}

function Loading() {
  const { t } = useTranslation();
  return <Skeleton height={180} radius="md" role="status" aria-label={t("shell.loading")} />;
}
