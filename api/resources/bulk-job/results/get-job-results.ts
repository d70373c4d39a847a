import { z } from "zod";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { rowStatuses, type RowStatus } from "../../../../domain/bulk-job/job.ts";
import { jobResultsName } from "../../../../domain/download-names.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { csvReaderOf, csvReaderQuery } from "../../../contract/csv-reader.ts";
import { filters } from "../../../contract/filters.ts";
import { actorOf } from "../../../contract/principal.ts";
import { Streamed, streaming } from "../../../contract/stream.ts";
import { JobRowView } from "../../../contract/views/job-row-view.ts";
import { mayReadOutput } from "../job-rules.ts";
import { resultPages } from "./result-pages.ts";
import { asCsv, asJson, asNdjson, writeResults, type ResultsFormat } from "./write-results.ts";

/** Statuses of rows whose profile may have been issued. */
const issued: readonly RowStatus[] = ["working", "changed"];
const isIssued = (status: RowStatus): boolean => issued.includes(status);

export const getJobResults = streaming({
  operation: "getJobResults",
  summary: "The results of a bulk job's rows",
  description:
    "The input and the status of each row; before the job runs, the status that the check expects. Files and keys " +
    "are included for " +
    "the creator of the job, through the same client and with the scope `profile.create`, until they are erased; " +
    "each reading " +
    "of them is in the audit log. " +
    "As CSV it can be uploaded again. For people (`lang`, `zone`) rows are counted as the file counts them.",
  path: "/api/jobs/:id/results",
  access: "staff",
  scope: "job.read",
  params: z.object({ id: BulkJobID }),
  query: z.object({
    status: filters
      .list(z.enum(rowStatuses, "there is no such status"))
      .optional()
      .describe(`Only rows with one of these: ${rowStatuses.join(", ")}, comma-separated or repeated.`),
    ...csvReaderQuery,
  }),
  types: {
    "application/json": z.object({ result: z.literal("ok"), code: z.literal(200), data: z.array(JobRowView) }),
    "application/x-ndjson": JobRowView,
    "text/csv": JobRowView,
  },
  secret: true,
  errors: ["job_not_found"],
  unknown: { id: "job_not_found" },

  async handle({ params: { id: jobId }, query, type, principal, deps, fail }) {
    const { realmId } = principal;
    const at = deps.clock.now();
    const job = await jobs.find(deps.db, { realmId, jobId, at });
    if (job === undefined) throw fail("job_not_found");
    const withOutput = job.hasOutput && mayReadOutput(principal, job) && (query.status ?? issued).some(isIssued);
    if (withOutput) {
      await audit.record(deps.db, {
        realmId,
        event: "job_output_read",
        actor: actorOf(principal),
        at,
        properties: { job: jobId, kind: job.kind },
      });
    }
    const pages = resultPages(deps, { job, statuses: query.status, withOutput });
    const written = (format: ResultsFormat) => writeResults(pages, format);
    switch (type) {
      case "application/json":
        return new Streamed("application/json; charset=utf-8", undefined, written(asJson));
      case "application/x-ndjson":
        return new Streamed(
          "application/x-ndjson",
          jobResultsName({ kind: job.kind, id: job.id }, "ndjson"),
          written(asNdjson),
        );
      case "text/csv": {
        const format = asCsv(job, csvReaderOf(query));
        return new Streamed(
          "text/csv; charset=utf-8; header=present",
          jobResultsName({ kind: job.kind, id: job.id }, "csv"),
          written(format),
        );
      }
    }
  },
});
