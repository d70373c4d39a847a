import { Stack, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "./job.ts";

/** A table about rows of a job's file, which says how rows are counted where their author may count otherwise. */
export function RowsTable({
  job,
  caption,
  headings,
  children,
}: {
  job: Job;
  caption: string;
  /** The first is above numbers. */
  headings: readonly string[];
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": caption, role: "region" } }}
      >
        <Table withTableBorder verticalSpacing="xs" aria-label={caption}>
          <Table.Thead>
            <Table.Tr>
              {headings.map((heading, index) => (
                <Table.Th key={heading} {...(index === 0 && { w: 90, ta: "right" as const })}>
                  {heading}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {job.rowOffset === 0 && (
        <Text size="sm" c="dimmed">
          {t("jobs.problem.numbering")}
        </Text>
      )}
    </Stack>
  );
}
