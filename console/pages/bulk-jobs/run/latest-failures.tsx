import { Stack, Title } from "@mantine/core";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { pageItemsMax } from "../../../../domain/limits.ts";
import type { Job } from "../job.ts";
import type { PersonRow } from "../plan/load-rows.ts";
import { ProblemTable } from "../plan/problem-table.tsx";
import { useProblems } from "../plan/use-problems.ts";

const shownMax = 10;

/** Shows the failures of a running job, latest first. */
export function LatestFailures({ job }: { job: Job }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useProblems(job, pageItemsMax);
  const latest = useLatestFirst(data ?? []);
  if (job.failed === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t("jobs.latestFailures")}
      </Title>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <ProblemTable job={job} rows={latest.slice(0, shownMax)} caption={t("jobs.latestFailures")} />
    </Stack>
  );
}

/** Sorts rows by the time when the page first showed them, latest first. */
function useLatestFirst(rows: readonly PersonRow[]): PersonRow[] {
  const seen = useRef(new Map<number, number>());
  for (const { row } of rows) if (!seen.current.has(row)) seen.current.set(row, seen.current.size);
  return rows.toSorted((a, b) => (seen.current.get(b.row) ?? 0) - (seen.current.get(a.row) ?? 0));
}
