import { useTranslation } from "react-i18next";
import type { Column } from "../../../list/columns.ts";
import type { Job } from "../job.ts";
import type { PersonRow } from "./load-rows.ts";
import { useProblem } from "./problem.ts";
import { RowsTable } from "./rows-table.tsx";
import { useSubjectColumns } from "./subject-columns.tsx";

/** Shows rows that failed or would fail, with the subject of each row and the reason. */
export function ProblemTable({ job, rows, caption }: { job: Job; rows: readonly PersonRow[]; caption: string }) {
  const { t } = useTranslation();
  const problem = useProblem(job);
  const columns: Column<PersonRow>[] = [
    ...useSubjectColumns(job),
    { key: "column", title: t("jobs.problem.column"), render: (row) => problem(row).column ?? "–" },
    { key: "reason", title: t("jobs.problem.reason"), render: (row) => problem(row).reason },
  ];
  return <RowsTable job={job} caption={caption} rows={rows} idOf={({ row }) => String(row)} columns={columns} />;
}
