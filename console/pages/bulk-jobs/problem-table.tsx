import { Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNumber } from "./counts.ts";
import type { Job, JobRow } from "./job.ts";
import { useProblem } from "./problem.ts";
import { RowsTable } from "./rows-table.tsx";

/** Rows that failed, or would, each with where and why. */
export function ProblemTable({ job, rows, caption }: { job: Job; rows: readonly JobRow[]; caption: string }) {
  const { t } = useTranslation();
  const number = useNumber();
  const problem = useProblem(job);
  const headings = [
    t("jobs.problem.row"),
    t("jobs.problem.person"),
    t("jobs.problem.column"),
    t("jobs.problem.reason"),
  ];
  return (
    <RowsTable job={job} caption={caption} headings={headings}>
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
    </RowsTable>
  );
}
