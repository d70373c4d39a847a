import type { Job } from "../../../../db/queries/bulk-job/jobs.ts";
import { resultColumns } from "../../../../domain/bulk-job/input/columns.ts";
import { csvForPeople, csvLine, type CsvReader } from "../../../../domain/csv.ts";
import { inputColumns, type JobRowView } from "../../../contract/views/job-row-view.ts";
import { cellOf } from "./result-cell.ts";
import { columnsForPeople } from "./results-for-people.ts";

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
export async function* resultsAsCsv(
  pages: Pages,
  { job, reader }: { job: Job; reader: CsvReader | undefined },
): AsyncGenerator<string> {
  const { heading, line } =
    reader === undefined ? csvForPrograms(job) : csvForPeople(columnsForPeople(job, reader), reader);
  yield heading;
  for await (const page of pages) yield page.map(line).join("");
}

function csvForPrograms(job: Job): { heading: string; line: (row: JobRowView) => string } {
  const given = inputColumns(job);
  const added = resultColumns.filter((column) => !(given as readonly string[]).includes(column));
  const columns = [...given, ...added];
  return {
    heading: csvLine([...job.columns, ...added]),
    line: (row) => csvLine(columns.map((column) => cellOf(row, column))),
  };
}
