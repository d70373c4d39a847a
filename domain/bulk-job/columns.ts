import type { JobKind } from "./job.ts";

/** What a row can say about a person, by the names on the wire. */
export const jobColumns = {
  onboarding: ["pairwiseID", "email", "maxProfiles", "profileName", "deviceType", "format"],
  offboarding: ["userID", "pairwiseID", "email"],
  reactivation: ["userID", "pairwiseID", "email"],
} as const satisfies Record<JobKind, readonly string[]>;

export type JobColumn = (typeof jobColumns)[JobKind][number];

/** Of these columns a table has at least one. */
export const neededColumns = {
  onboarding: ["pairwiseID", "email"],
  offboarding: ["userID", "pairwiseID", "email"],
  reactivation: ["userID", "pairwiseID", "email"],
} as const satisfies Record<JobKind, readonly JobColumn[]>;

/** What a profile to issue is made of: all of these columns, or none. */
export const profileColumns = ["profileName", "deviceType", "format"] as const satisfies readonly JobColumn[];

/** What a column can be taken for, as the client says: a column of a job, or left out. */
export const columnMeanings = [
  "userID",
  "pairwiseID",
  "email",
  "maxProfiles",
  "profileName",
  "deviceType",
  "format",
  "ignore",
] as const satisfies readonly (JobColumn | "ignore")[];
export type ColumnMeaning = (typeof columnMeanings)[number];

/** Columns of one table whose meaning is said with it. */
export const mappedColumnsMax = 100;

/** What a results file has in addition to the columns of the input. */
export const resultColumns = [
  "row",
  "status",
  "error",
  "message",
  "serial",
  "identity",
  "radiusCN",
  "data",
  "certificate",
  "privateKey",
] as const;

/** How a column may be headed, in any letter case and however its words are set apart. */
const headings = {
  userID: ["userid", "benutzerid", "nutzerid", "internalnumber", "internenummer"],
  pairwiseID: ["pairwiseid", "pseudonymousid", "kennung"],
  email: ["email", "mail", "emailadresse", "emailaddress", "mailadresse"],
  maxProfiles: ["maxprofiles", "maxprofile", "profillimit"],
  profileName: ["profilename", "profilname"],
  deviceType: ["devicetype", "gerätetyp", "geraetetyp"],
  format: ["format", "dateiformat"],
} as const satisfies Record<JobColumn, readonly string[]>;

/** A heading without letter case and without what sets its words apart: two that are the same so mean the same column. */
export const foldHeading = (heading: string): string =>
  heading
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s._-]/gu, "");

const columnOf: ReadonlyMap<string, JobColumn> = new Map(
  Object.entries(headings).flatMap(([column, names]) => names.map((name) => [name, column as JobColumn])),
);

/** Of the lists of people, profiles and guest accounts as the console exports them, in both languages. */
const exportedHeadings = [
  ...["Status", "State", "Stand", "Zustand", "Profiles used", "Profile in Gebrauch", "Created", "Angelegt", "Erstellt"],
  ...["Serial number", "Seriennummer", "Name", "Owner", "Person", "Device type", "Gerätetyp", "Expires", "Läuft ab"],
  ...["Valid until", "Gültig bis", "Display name", "Anzeigename", "Profiles", "Profile", "Profile limit"],
  ...["Last check", "Letzte Prüfung", "Row", "Zeile", "Error", "Fehler", "Message", "Meldung"],
];

/** Columns that are passed over, so that the results of one job and the lists of the console can be the input of another. */
const passedOver: ReadonlySet<string> = new Set(
  [...resultColumns, ...exportedHeadings, "expected", "password"].map(foldHeading),
);

/** Exports for people name the time zone beside a time: `Created (Europe/Berlin)`. */
const zone = /\s*\((?:UTC|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)\)$/;

/**
 * The column that is meant by a heading; `ignored` for those of a results file or of a list that the console exports,
 * undefined for an unknown one.
 */
export function readHeading(kind: JobKind, heading: string): JobColumn | "ignored" | undefined {
  const name = foldHeading(heading.replace(zone, ""));
  const column = columnOf.get(name);
  if (column !== undefined && isColumnOf(kind, column)) return column;
  return passedOver.has(name) ? "ignored" : undefined;
}

/** Whether jobs of the kind have this column. */
export const isColumnOf = (kind: JobKind, column: string): column is JobColumn =>
  (jobColumns[kind] as readonly string[]).includes(column);
