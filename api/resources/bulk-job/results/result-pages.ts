import type { Database } from "../../../../db/client.ts";
import * as jobRows from "../../../../db/queries/bulk-job/rows.ts";
import * as jobOutputs from "../../../../db/queries/bulk-job/results/outputs.ts";
import type { Job } from "../../../../db/queries/bulk-job/jobs.ts";
import type { RowStatus } from "../../../../domain/bulk-job/job.ts";
import type { Deps } from "../../../contract/deps.ts";
import { inputColumns, jobRowView, type JobRowView, type RowProfile } from "../../../contract/views/job-row-view.ts";

/** How many rows are read at once: few enough to hold with their files, many enough to be quick. */
const pageMax = 500;

interface Results {
  job: Job;
  statuses: readonly RowStatus[] | undefined;
  /** Whether files and keys are shown. */
  withOutput: boolean;
}

/** Yields the rows of a job in the order of its input, in pages. Holds no connection between two pages. */
export async function* resultPages(
  { db, openOutput }: Pick<Deps, "db" | "openOutput">,
  { job, statuses, withOutput }: Results,
): AsyncGenerator<JobRowView[]> {
  const columns = inputColumns(job);
  for (let after = 0; ;) {
    const rows = await jobOutputs.listAfter(db, { jobId: job.id, after, limit: pageMax, statuses });
    const last = rows.at(-1);
    if (last === undefined) return;
    const profiles = await profilesOf(db, { rows, withOutput, openOutput });
    yield rows.map((row) => jobRowView(row, { columns, profile: profiles.get(row.issuanceId ?? "") }));
    if (rows.length < pageMax) return;
    after = last.position;
  }
}

/** Returns the profiles issued for rows, by issuance. */
async function profilesOf(
  db: Database,
  { rows, withOutput, openOutput }: { rows: readonly jobRows.JobRow[]; withOutput: boolean } & Pick<Deps, "openOutput">,
): Promise<Map<string, RowProfile>> {
  const ids = rows.map(({ issuanceId }) => issuanceId).filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const [issued, outputs] = await Promise.all([
    jobOutputs.listIssued(db, ids),
    withOutput ? jobOutputs.listSealedOutputs(db, ids) : [],
  ]);
  const outputOf = new Map(outputs.map((sealed) => [sealed.issuanceId, sealed]));
  return new Map(
    issued.map(({ issuanceId, serial, identity, radiusCn }) => {
      const sealed = outputOf.get(issuanceId);
      return [issuanceId, { serial, identity, radiusCN: radiusCn, output: sealed && openOutput(sealed) }];
    }),
  );
}
