import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import { resultColumns } from "../../../domain/bulk-job/columns.ts";
import { csvLine, type CsvCell } from "../../../domain/csv.ts";
import { inputColumns, type JobRowView } from "../../contract/views/job-row-view.ts";

type Pages = AsyncIterable<JobRowView[]>;

/** The wrapper with all rows in it. */
export async function* resultsAsJson(pages: Pages): AsyncGenerator<string> {
  yield '{"result":"ok","code":200,"data":[';
  let separator = "";
  for await (const page of pages) {
    yield separator + page.map((row) => JSON.stringify(row)).join(",");
    separator = ",";
  }
  yield "]}";
}

/** A line for each row. */
export async function* resultsAsNdjson(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** A table with the columns of the input under their own names, and what came of each row. */
export async function* resultsAsCsv(pages: Pages, job: Job): AsyncGenerator<string> {
  const columns = [...inputColumns(job), ...resultColumns];
  yield csvLine([...job.columns, ...resultColumns]);
  for await (const page of pages) {
    yield page.map((row) => csvLine(columns.map((column) => cellOf(row, column)))).join("");
  }
}

/** PEM begins with hyphens, which an apostrophe before them would spoil. */
const made: ReadonlySet<keyof JobRowView> = new Set(["data", "certificate", "privateKey"]);

function cellOf(row: JobRowView, column: keyof JobRowView): CsvCell {
  const value = row[column] ?? null;
  return typeof value === "string" && made.has(column) ? { unguarded: value } : value;
}
