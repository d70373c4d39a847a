import type { JobColumn } from "../../../domain/bulk-job/columns.ts";
import type { JobKind } from "./job.ts";

/** A column of a file as the page explains it, with the other names that its heading may have. */
export interface ExplainedColumn {
  column: JobColumn;
  alsoCalled: string;
  examples: readonly [string, string];
}

/** Who a person is, which is all that a row says where an access ends or is given back. */
const who: readonly ExplainedColumn[] = [
  { column: "pairwiseID", alsoCalled: "Kennung", examples: ["mkeller", "jdoe"] },
  { column: "email", alsoCalled: "E-Mail", examples: ["", ""] },
  { column: "userID", alsoCalled: "Benutzer-ID, Nutzer-ID", examples: ["", ""] },
];

/** What a row can say about a person, in the order of the template. */
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
};

/** A file to begin with. Spreadsheets take a byte order mark for UTF-8 and, where they speak German, semicolons for columns. */
export function templateOf(kind: JobKind, language: string): Blob {
  const separator = language === "de" ? ";" : ",";
  const columns = columnsOf[kind];
  const line = (cells: readonly string[]): string => `${cells.join(separator)}\r\n`;
  const rows = [0, 1].map((row) => line(columns.map(({ examples }) => examples[row] ?? "")));
  return new Blob(["\ufeff", line(columns.map(({ column }) => column)), ...rows], { type: "text/csv;charset=utf-8" });
}
