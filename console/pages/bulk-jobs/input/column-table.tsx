import { Badge, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { neededColumns, type JobColumn } from "../../../../domain/bulk-job/input/columns.ts";
import { certificateFormats } from "../../../../domain/certificate/format.ts";
import { deviceTypes } from "../../../../domain/certificate/device.ts";
import { realmLimits } from "../../../../domain/realm.ts";
import { listOfChoices } from "../../../texts/words.ts";
import type { Column } from "../../../list/columns.ts";
import { ShortTable } from "../../../list/short-table.tsx";
import { columnsOf, type ExplainedColumn } from "./columns-of.ts";
import type { JobKind } from "../job.ts";

/** Shows the columns that a file can have, with their meanings and other names. */
export function ColumnTable({ kind }: { kind: JobKind }) {
  const { t } = useTranslation();
  const needed: readonly JobColumn[] = neededColumns[kind];
  const label = t("jobs.known.title");
  const values = {
    deviceTypes: listOfChoices(deviceTypes),
    formats: listOfChoices(certificateFormats),
    limit: realmLimits.maxProfiles,
  };
  const columns: Column<ExplainedColumn>[] = [
    {
      key: "column",
      title: t("jobs.known.column"),
      card: "title",
      render: ({ column }) => (
        <Group gap="xs">
          <Code>{column}</Code>
          {needed.includes(column) && (
            <Badge size="sm" variant="light" color="gray" tt="none">
              {t(needed.length > 1 ? "jobs.known.oneOfThem" : "jobs.known.needed")}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: "meaning",
      title: t("jobs.known.meaning"),
      render: ({ column }) => t(`jobs.known.meanings.${column}`, values),
    },
    { key: "also", title: t("jobs.known.also"), render: ({ alsoCalled }) => alsoCalled },
  ];
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {label}
      </Title>
      <Text size="sm" c="dimmed">
        {t("jobs.known.text")}
      </Text>
      <ShortTable label={label} rows={columnsOf[kind]} idOf={({ column }) => column} columns={columns} />
    </Stack>
  );
}
