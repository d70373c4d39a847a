import { Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNumber } from "./counts.ts";
import type { Job, JobProblem } from "./job.ts";
import { useCause } from "./problem.ts";
import { RowsTable } from "./rows-table.tsx";

/** What is wrong with the rows of a job, each cause once, with the first rows as their author counts them. */
export function CauseTable({ job, problems, caption }: { job: Job; problems: readonly JobProblem[]; caption: string }) {
  const { t } = useTranslation();
  const number = useNumber();
  const cause = useCause();
  const headings = [
    t("jobs.problem.count"),
    t("jobs.problem.reason"),
    t("jobs.problem.column"),
    t("jobs.problem.rows"),
  ];
  return (
    <RowsTable job={job} caption={caption} headings={headings}>
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
    </RowsTable>
  );
}
