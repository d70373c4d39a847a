import "@mantine/charts/styles.css";
import { LineChart } from "@mantine/charts";
import { Box, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useBucketName } from "./activity-words.ts";
import type { Series } from "./overview.ts";

const lines = [
  { name: "issued", color: "light-dark(#3b5bdb, #91a7ff)" },
  {
    name: "revoked",
    color: "light-dark(var(--mantine-color-orange-9), var(--mantine-color-orange-4))",
    strokeDasharray: "6 4",
  },
] as const;

/** Two lines that differ in dash as well as in colour. The label and the table contain the same numbers. */
export default function ActivityChart({ series, label, height }: { series: Series; label: string; height: number }) {
  const { t } = useTranslation();
  const nameOf = useBucketName();
  return (
    <Box role="img" aria-label={label}>
      <LineChart
        h={height}
        data={series.buckets.map(({ from, issued, revoked }) => ({ from: nameOf(series, from), issued, revoked }))}
        dataKey="from"
        series={lines.map((line) => ({ ...line, label: t(`dashboard.activity.${line.name}`) }))}
        curveType="linear"
        withDots={false}
        yAxisProps={{ allowDecimals: false, width: 44 }}
        xAxisProps={{ minTickGap: 24 }}
        lineProps={{ isAnimationActive: false }}
        lineChartProps={{ accessibilityLayer: false }}
      />
      <Group justify="flex-end" gap="lg" mt="xs">
        {lines.map(({ name, color, ...dash }) => (
          <Group key={name} gap={8}>
            <svg width="28" height="4" aria-hidden>
              <line x1="0" y1="2" x2="28" y2="2" strokeWidth="2.5" {...dash} style={{ stroke: color }} />
            </svg>
            <Text size="sm">{t(`dashboard.activity.${name}`)}</Text>
          </Group>
        ))}
      </Group>
    </Box>
  );
}
