import type { Job } from "../../../../db/queries/bulk-job/jobs.ts";
import { resultColumns } from "../../../../domain/bulk-job/input/columns.ts";
import { csvForPeople, csvLine, type CsvReader } from "../../../../domain/csv.ts";
import { inputColumns, type JobRowView } from "../../../contract/views/job-row-view.ts";
import { cellOf, columnsForPeople } from "./results-for-people.ts";

/** How rows are written: the text of each row, and the text before, between and after the rows. */
export interface ResultsFormat {
  heading: string;
  line: (row: JobRowView) => string;
  separator?: string;
  end?: string;
}

/** The JSON wrapper with all rows in it. */
export const asJson: ResultsFormat = {
  heading: '{"result":"ok","code":200,"data":[',
  line: (row) => JSON.stringify(row),
  separator: ",",
  end: "]}",
};

/** Writes a line of JSON for each row. */
export const asNdjson: ResultsFormat = { heading: "", line: (row) => `${JSON.stringify(row)}\n` };

/**
 * Returns the format of a table with the input's columns under their own headings and the outcome of each row, for
 * people or for programs.
 */
export function asCsv(job: Job, reader: CsvReader | undefined): ResultsFormat {
  if (reader !== undefined) return csvForPeople(columnsForPeople(job, reader), reader);
  const given = inputColumns(job);
  const added = resultColumns.filter((column) => !(given as readonly string[]).includes(column));
  const columns = [...given, ...added];
  return {
    heading: csvLine([...job.columns, ...added]),
    line: (row) => csvLine(columns.map((column) => cellOf(row, column))),
  };
}

/** Yields the heading, one piece of text per page of rows, and the end. */
export async function* writeResults(
  pages: AsyncIterable<JobRowView[]>,
  { heading, line, separator = "", end = "" }: ResultsFormat,
): AsyncGenerator<string> {
  if (heading !== "") yield heading;
  let before = "";
  for await (const page of pages) {
    yield before + page.map(line).join(separator);
    before = separator;
  }
  if (end !== "") yield end;
}
