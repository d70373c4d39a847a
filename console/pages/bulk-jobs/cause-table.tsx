import { Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNumber } from "./counts.ts";
import type { Job, JobProblem } from "./job.ts";
import { useCause } from "./problem.ts";

/** What is wrong with the rows of a job, each cause once, with the first rows as their author counts them. */
export function CauseTable({ job, problems, caption }: { job: Job; problems: readonly JobProblem[]; caption: string }) {
  const { t } = useTranslation();
  const number = useNumber();
  const cause = useCause();
  return (
    <Stack gap={4}>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": caption, role: "region" } }}
      >
        <Table withTableBorder verticalSpacing="xs" aria-label={caption}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={90} ta="right">
                {t("jobs.problem.count")}
              </Table.Th>
              <Table.Th>{t("jobs.problem.reason")}</Table.Th>
              <Table.Th>{t("jobs.problem.column")}</Table.Th>
              <Table.Th>{t("jobs.problem.rows")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {problems.map((problem) => {
              const { column, reason } = cause(problem);
              const rows = problem.rows.map((row) => number(row + job.rowOffset)).join(", ");
              return (
                <Table.Tr key={`${problem.error} ${problem.column} ${problem.message}`}>
                  <Table.Td ta="right">{number(problem.count)}</Table.Td>
                  <Table.Td>{reason}</Table.Td>
                  <Table.Td>{column ?? "–"}</Table.Td>
                  <Table.Td>{problem.count > problem.rows.length ? `${rows} …` : rows}</Table.Td>
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
