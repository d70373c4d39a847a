import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../list/columns.ts";
import { ShortTable } from "../../../list/short-table.tsx";
import type { Job } from "../job.ts";

/**
 * Shows a table about rows of a job's file. If the file's author may count rows differently, the table explains how
 * rows are counted.
 */
export function RowsTable<Row>({
  job,
  caption,
  ...table
}: {
  job: Job;
  caption: string;
  rows: readonly Row[];
  idOf: (row: Row) => string;
  columns: readonly Column<Row>[];
}) {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      <ShortTable label={caption} {...table} />
      {job.rowOffset === 0 && (
        <Text size="sm" c="dimmed">
          {t("jobs.problem.numbering")}
        </Text>
      )}
    </Stack>
  );
}
