import type { JobColumn } from "../../../../domain/bulk-job/input/columns.ts";
import { csvForPeople, type CsvColumn, type CsvReader } from "../../../../domain/csv.ts";
import type { JobKind } from "../job.ts";

/** A column of a file in the page's explanation, with its alternative headings. */
export interface ExplainedColumn {
  column: JobColumn;
  alsoCalled: string;
  examples: readonly [string, string];
}

/** Columns that identify a person: the only columns of an offboarding or a reactivation. */
const who: readonly ExplainedColumn[] = [
  { column: "pairwiseID", alsoCalled: "Kennung", examples: ["mkeller", "jdoe"] },
  { column: "email", alsoCalled: "E-Mail", examples: ["", ""] },
  { column: "userID", alsoCalled: "Benutzer-ID, Nutzer-ID", examples: ["", ""] },
];

/** The columns of each kind of job, in the order of the template. */
export const columnsOf: Readonly<Record<JobKind, readonly ExplainedColumn[]>> = {
  onboarding: [
    { column: "pairwiseID", alsoCalled: "Kennung", examples: ["mkeller", "jdoe"] },
    { column: "email", alsoCalled: "E-Mail", examples: ["m.keller@example.org", "j.doe@example.org"] },
    { column: "maxProfiles", alsoCalled: "Max Profile, Profil-Limit", examples: ["5", ""] },
    { column: "profileName", alsoCalled: "Profilname", examples: ["", "Laptop"] },
    { column: "deviceType", alsoCalled: "Gerätetyp", examples: ["", "Windows"] },
    { column: "format", alsoCalled: "Dateiformat", examples: ["", "pkcs12"] },
  ],
  offboarding: who,
  reactivation: who,
  revocation: [
    {
      column: "serial",
      alsoCalled: "Serial number, Seriennummer",
      examples: ["1842 0517 6395 2281 0744 3917 5526 8013 9064 77", "205871943376402915538846120977"],
    },
  ],
};

/** Returns an example file. */
export function templateOf(kind: JobKind, reader: CsvReader): Blob {
  const columns = columnsOf[kind].map(({ column, examples }): CsvColumn<0 | 1> => ({
    title: column,
    text: (row) => examples[row],
  }));
  const { heading, line } = csvForPeople(columns, reader);
  return new Blob([heading, line(0), line(1)], { type: "text/csv;charset=utf-8" });
}
