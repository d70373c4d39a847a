import type { Job } from "../../../../db/queries/bulk-job/jobs.ts";
import { resultHeadings } from "../../../../domain/bulk-job/input/columns.ts";
import type { CsvCell, CsvColumn, CsvReader } from "../../../../domain/csv.ts";
import { rowWords, type RowWords } from "../../../../domain/bulk-job/results/row-words.ts";
import { inputColumns, type JobRowView } from "../../../contract/views/job-row-view.ts";
import { faultOf } from "../plan/row-fault.ts";

/** Columns with PEM or a file. PEM begins with hyphens; an apostrophe that guards against formulas would break it. */
const made: ReadonlySet<keyof JobRowView> = new Set(["data", "certificate", "privateKey"]);

/** Returns a row's cell in a column of the results file. */
export function cellOf(row: JobRowView, column: keyof JobRowView): CsvCell {
  const value = row[column] ?? null;
  return typeof value === "string" && made.has(column) ? { unguarded: value } : value;
}

/**
 * Returns the columns of a results file for people: the input's columns under their own headings, the row number as the
 * file's author counts, and the outcome in words. Onboarding jobs also have the profile's columns.
 */
export function columnsForPeople(job: Job, { language }: Pick<CsvReader, "language">): CsvColumn<JobRowView>[] {
  const headings = resultHeadings[language];
  const words = rowWords[language];
  const issued = ["identity", "radiusCN", "data", "certificate", "privateKey"] as const;
  return [
    ...inputColumns(job).map((column, index): CsvColumn<JobRowView> => {
      const title = job.columns[index] ?? column;
      return column === "serial"
        ? { title, serial: (row) => row.serial ?? null }
        : { title, text: (row) => row[column] ?? null };
    }),
    { title: headings.row, text: ({ row }) => row + job.rowOffset },
    { title: headings.status, text: ({ status }) => words.statuses[status] },
    { title: headings.error, text: (row) => errorOf(row, { job, words }) },
    ...(job.kind === "onboarding"
      ? [
          { title: headings.serial, serial: ({ serial }: JobRowView) => serial ?? null },
          ...issued.map((column) => ({ title: headings[column], text: (row: JobRowView) => cellOf(row, column) })),
        ]
      : []),
  ];
}

/** Returns what is wrong with a row, in words. */
function errorOf({ error, message }: JobRowView, { job, words }: { job: Job; words: RowWords }): string | null {
  if (error === null || message === null) return null;
  if (error === "invalid_row") return reasonOf(message, { job, words });
  const place = / row (\d+)$/.exec(message)?.[1];
  if (error === "duplicate_row" && place !== undefined) return words.sameAs(Number(place) + job.rowOffset);
  const ids = /^several people have [^:]+: (.+)$/s.exec(message)?.[1];
  if (error === "ambiguous_email" && ids !== undefined) return words.severalPeople(ids);
  if (error === "ambiguous_user" && ids !== undefined) return words.severalSpellings(ids);
  return (words.errors as Readonly<Record<string, string>>)[error] ?? message;
}

/** Returns text such as `E-Mail: ist keine E-Mail-Adresse`, with the column as the file calls it. */
function reasonOf(message: string, { job, words }: { job: Job; words: RowWords }): string {
  const fault = faultOf(message, job);
  const sentence = fault?.reason ?? message;
  const [pattern, translated] = words.reasons.find(([known]) => known.test(sentence)) ?? [];
  const reason = pattern === undefined || translated === undefined ? sentence : sentence.replace(pattern, translated);
  return fault === undefined ? reason : `${fault.columns.join(words.or)}: ${reason}`;
}
