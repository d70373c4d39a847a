import { Badge, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { neededColumns, type JobColumn } from "../../../domain/bulk-job/columns.ts";
import { certificateFormats } from "../../../domain/certificate-format.ts";
import { deviceTypes } from "../../../domain/device.ts";
import { realmLimits } from "../../../domain/realm.ts";
import { listOfChoices } from "../../texts/words.ts";
import { columnsOf } from "./columns-of.ts";
import type { JobKind } from "./job.ts";

/** Which columns a file may have, what they mean and how else they may be called. */
export function ColumnTable({ kind }: { kind: JobKind }) {
  const { t } = useTranslation();
  const needed: readonly JobColumn[] = neededColumns[kind];
  const label = t("jobs.known.title");
  const values = {
    deviceTypes: listOfChoices(deviceTypes),
    formats: listOfChoices(certificateFormats),
    limit: realmLimits.maxProfiles,
  };
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {label}
      </Title>
      <Text size="sm" c="dimmed">
        {t("jobs.known.text")}
      </Text>
      <Table.ScrollContainer
        minWidth={560}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": label } }}
      >
        <Table withTableBorder verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("jobs.known.column")}</Table.Th>
              <Table.Th>{t("jobs.known.meaning")}</Table.Th>
              <Table.Th>{t("jobs.known.also")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columnsOf[kind].map(({ column, alsoCalled }) => (
              <Table.Tr key={column}>
                <Table.Td>
                  <Group gap="xs">
                    <Code>{column}</Code>
                    {needed.includes(column) && (
                      <Badge size="sm" variant="light" color="gray" tt="none">
                        {t(needed.length > 1 ? "jobs.known.oneOfThem" : "jobs.known.needed")}
                      </Badge>
                    )}
                  </Group>
                </Table.Td>
                <Table.Td>{t(`jobs.known.meanings.${column}`, values)}</Table.Td>
                <Table.Td>{alsoCalled}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
