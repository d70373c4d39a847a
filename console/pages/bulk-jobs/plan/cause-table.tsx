import { useTranslation } from "react-i18next";
import type { Column } from "../../../list/columns.ts";
import { useNumber } from "../counts.ts";
import type { Job, JobProblem } from "../job.ts";
import { useCause } from "./problem.ts";
import { RowsTable } from "./rows-table.tsx";

/** Lists each cause of faulty rows once, with the numbers of the first such rows as the file's author counts them. */
export function CauseTable({ job, problems, caption }: { job: Job; problems: readonly JobProblem[]; caption: string }) {
  const { t } = useTranslation();
  const number = useNumber();
  const cause = useCause(job);
  const columns: Column<JobProblem>[] = [
    {
      key: "count",
      title: t("jobs.problem.count"),
      width: 90,
      align: "right",
      render: ({ count }) => number(count),
    },
    { key: "reason", title: t("jobs.problem.reason"), card: "title", render: (problem) => cause(problem).reason },
    { key: "column", title: t("jobs.problem.column"), render: (problem) => cause(problem).column ?? "–" },
    {
      key: "rows",
      title: t("jobs.problem.rows"),
      render: ({ count, rows }) => {
        const shown = rows.map((row) => number(row + job.rowOffset)).join(", ");
        return count > rows.length ? `${shown} …` : shown;
      },
    },
  ];
  return (
    <RowsTable
      job={job}
      caption={caption}
      rows={problems}
      idOf={({ error, column, message }) => `${error} ${column} ${message}`}
      columns={columns}
    />
  );
}
