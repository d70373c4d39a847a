import { jobResultsName } from "../../../domain/download-names.ts";
import { send } from "../../api/api-client.ts";
import { viewerQuery } from "../../list/csv-reader.ts";
import { saveFile } from "../../list/export-csv.ts";
import type { Job, JobRow } from "./job.ts";

/** Saves the outcome of a job's rows, all rows or those with one status, as a table that the user can upload again. */
export async function saveResults({ id, kind }: Pick<Job, "id" | "kind">, status?: JobRow["status"]): Promise<void> {
  const query = new URLSearchParams({ ...viewerQuery(), ...(status !== undefined && { status }) });
  const headers = { Accept: "text/csv" };
  const response = await send(`/api/jobs/${encodeURIComponent(id)}/results?${query.toString()}`, { headers });
  saveFile(await response.blob(), jobResultsName({ kind, status, id: id.slice(0, 8) }, "csv"));
}
