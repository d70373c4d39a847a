import type { Job } from "../../../../db/queries/bulk-job/jobs.ts";
import { inputColumns } from "../../../contract/views/job-row-view.ts";

/** The fault of a row that cannot be used. */
export interface RowFault {
  /** The columns, one of which is at fault, by the file's headings; a column that the file lacks, by its own name. */
  columns: readonly string[];
  reason: string;
}

/**
 * Returns the columns and the reason of a message such as `maxProfiles: must be …`; undefined if no column is at fault.
 */
export function faultOf(message: string, job: Pick<Job, "kind" | "columns">): RowFault | undefined {
  const [, columns, reason] = /^([A-Za-z]+(?: or [A-Za-z]+)*): (.+)$/s.exec(message) ?? [];
  if (columns === undefined || reason === undefined) return undefined;
  const given: readonly string[] = inputColumns(job);
  return { columns: columns.split(" or ").map((column) => job.columns[given.indexOf(column)] ?? column), reason };
}
