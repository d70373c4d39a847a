import { useTranslation } from "react-i18next";
import type { Column } from "../../../list/columns.ts";
import { useNumber } from "../counts.ts";
import type { Job, JobRow } from "../job.ts";
import { kindTexts } from "../kind-texts.ts";
import { useProblem } from "./problem.ts";
import { RowsTable } from "./rows-table.tsx";

/** Rows that failed or would fail, with the place and the reason of each. */
export function ProblemTable({ job, rows, caption }: { job: Job; rows: readonly JobRow[]; caption: string }) {
  const { t } = useTranslation();
  const number = useNumber();
  const problem = useProblem(job);
  const problems = rows.map((row) => ({ row: row.row, ...problem(row) }));
  const columns: Column<(typeof problems)[number]>[] = [
    {
      key: "row",
      title: t("jobs.problem.row"),
      width: 90,
      align: "right",
      render: ({ row }) => number(row + job.rowOffset),
    },
    {
      key: "subject",
      title: t(kindTexts(job.kind).subject),
      card: "title",
      render: ({ subject }) => (subject === "" ? "–" : subject),
    },
    { key: "column", title: t("jobs.problem.column"), render: ({ column }) => column ?? "–" },
    { key: "reason", title: t("jobs.problem.reason"), render: ({ reason }) => reason },
  ];
  return <RowsTable job={job} caption={caption} rows={problems} idOf={({ row }) => String(row)} columns={columns} />;
}
