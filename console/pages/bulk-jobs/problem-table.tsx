import { Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNumber } from "./counts.ts";
import type { Job, JobRow } from "./job.ts";
import { useProblem } from "./problem.ts";

/** Rows that failed, or would, each with where and why. */
export function ProblemTable({ job, rows, caption }: { job: Job; rows: readonly JobRow[]; caption: string }) {
  const { t } = useTranslation();
  const number = useNumber();
  const problem = useProblem(job);
  return (
    <Stack gap={4}>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": caption, role: "region" } }}
      >
        <Table withTableBorder verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={90} ta="right">
                {t("jobs.problem.row")}
              </Table.Th>
              <Table.Th>{t("jobs.problem.person")}</Table.Th>
              <Table.Th>{t("jobs.problem.column")}</Table.Th>
              <Table.Th>{t("jobs.problem.reason")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => {
              const { person, column, reason } = problem(row);
              return (
                <Table.Tr key={row.row}>
                  <Table.Td ta="right">{number(row.row + job.rowOffset)}</Table.Td>
                  <Table.Td style={{ overflowWrap: "anywhere" }}>{person === "" ? "–" : person}</Table.Td>
                  <Table.Td>{column ?? "–"}</Table.Td>
                  <Table.Td>{reason}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
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
