import { isEmailAddress } from "../../people/email.ts";
import { isTimeZone } from "../../time-zone.ts";
import type { Language } from "../../words/language.ts";
import type { JobKind } from "../job.ts";

/** The columns of each kind of job, by their names on the wire. */
export const jobColumns = {
  onboarding: ["pairwiseID", "email", "maxProfiles", "profileName", "deviceType", "format"],
  offboarding: ["userID", "pairwiseID", "email"],
  reactivation: ["userID", "pairwiseID", "email"],
  revocation: ["serial"],
} as const satisfies Record<JobKind, readonly string[]>;

export type JobColumn = (typeof jobColumns)[JobKind][number];

/** A table must have at least one of these columns. */
export const neededColumns = {
  onboarding: ["pairwiseID", "email"],
  offboarding: ["userID", "pairwiseID", "email"],
  reactivation: ["userID", "pairwiseID", "email"],
  revocation: ["serial"],
} as const satisfies Record<JobKind, readonly JobColumn[]>;

/** For each kind of job, the column that the only column of a table means if it has no heading. */
export const bareColumn = {
  onboarding: "pairwiseID",
  offboarding: "pairwiseID",
  reactivation: "pairwiseID",
  revocation: "serial",
} as const satisfies Record<JobKind, JobColumn>;

/** The columns of a profile to issue: a row fills all of them or leaves all of them empty. */
export const profileColumns = ["profileName", "deviceType", "format"] as const satisfies readonly JobColumn[];

/**
 * The meanings that a client can give a column: a column of a job; `fault`, which contains why the program that wrote
 * the file could not read the row; or `ignore`.
 */
export const columnMeanings = [
  "userID",
  "pairwiseID",
  "email",
  "maxProfiles",
  "profileName",
  "deviceType",
  "format",
  "serial",
  "fault",
  "ignore",
] as const satisfies readonly (JobColumn | "fault" | "ignore")[];
export type ColumnMeaning = (typeof columnMeanings)[number];

/** The most columns of one table that a client can give a meaning. */
export const mappedColumnsMax = 100;

/** The columns that a results file adds to the columns of the input. */
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

/**
 * The headings of {@link resultColumns} in a results file for people, where `error` explains what is wrong with a row.
 */
export const resultHeadings = {
  en: {
    row: "Row",
    status: "Status",
    error: "Error",
    serial: "Serial number",
    identity: "Identity",
    radiusCN: "RADIUS server",
    data: "File (Base64)",
    certificate: "Certificate",
    privateKey: "Private key",
  },
  de: {
    row: "Zeile",
    status: "Status",
    error: "Fehler",
    serial: "Seriennummer",
    identity: "Identität",
    radiusCN: "RADIUS-Server",
    data: "Datei (Base64)",
    certificate: "Zertifikat",
    privateKey: "Privater Schlüssel",
  },
} as const satisfies Record<Language, Partial<Record<(typeof resultColumns)[number], string>>>;

/** The accepted headings of each column. Letter case and separators between words do not count. */
const headings = {
  userID: ["userid", "benutzerid", "nutzerid", "internalnumber", "internenummer"],
  pairwiseID: ["pairwiseid", "pseudonymousid", "kennung"],
  email: ["email", "mail", "emailadresse", "emailaddress", "mailadresse"],
  maxProfiles: ["maxprofiles", "maxprofile", "profillimit"],
  profileName: ["profilename", "profilname"],
  deviceType: ["devicetype", "gerätetyp", "geraetetyp"],
  format: ["format", "dateiformat"],
  serial: ["serial", "serialnumber", "seriennummer"],
} as const satisfies Record<JobColumn, readonly string[]>;

/** Removes letter case and separators from a heading: equal results mean the same column. */
export const foldHeading = (heading: string): string =>
  heading
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s._-]/gu, "");

const columnOf: ReadonlyMap<string, JobColumn> = new Map(
  Object.entries(headings).flatMap(([column, names]) => names.map((name) => [name, column as JobColumn])),
);

/**
 * Headings in files that people export from the console's lists and the audit log, in both languages, from this and
 * earlier releases.
 */
const exportedHeadings = [
  // Headings of several lists.
  ...["Status", "State", "Stand", "Zustand", "Name", "Created", "Angelegt", "Erstellt", "Ends", "Endet"],
  ...["Serial number", "Seriennummer", "Last check", "Letzte Prüfung", "Zuletzt geprüft"],
  // People.
  ...["Profiles used", "Profile in Gebrauch", "Profiles allowed", "Profile erlaubt", "Display name", "Anzeigename"],
  // Profiles.
  ...["Owner", "Person", "Device", "Gerät", "Device type", "Gerätetyp"],
  ...["Expires", "Läuft ab", "Valid until", "Gültig bis", "Revoked", "Widerrufen"],
  // Guest accounts and infrastructure profiles.
  ...["Active profiles", "Aktive Profile", "Profiles", "Profile"],
  ...["Description", "Beschreibung", "Issued", "Ausgestellt"],
  // Bulk jobs.
  ...["Kind", "Art", "File", "Datei", "Created by", "Angelegt von", "Finished", "Beendet", "Rows", "Zeilen"],
  ...["Changed", "Geändert", "Unchanged", "Unverändert", "Failed", "Fehlgeschlagen", "Skipped", "Übersprungen"],
  // Applications.
  ...["Type", "What it may do", "Was sie darf", "Last used", "Zuletzt genutzt"],
  // The audit log.
  ...["Entry", "Eintrag", "Time", "Zeit", "Event", "Ereignis", "Details", "Einzelheiten", "Realm", "Hash"],
  ...["Acting person (internal number)", "Handelnde Person (interne Nummer)", "Application", "Anwendung"],
  ...["Place in the chain", "Stelle in der Kette"],
];

/**
 * Headings that a job ignores unless they name one of its own columns, so the results of a job and the console's lists
 * can be the input of another job.
 */
const passedOver: ReadonlySet<string> = new Set(
  [
    ...resultColumns,
    ...Object.values(resultHeadings).flatMap((headings) => Object.values(headings)),
    ...exportedHeadings,
    ...["expected", "password"],
  ].map(foldHeading),
);

/** Removes the time zone from a heading in a file for people: `Created (Europe/Berlin)`. */
function withoutZone(heading: string): string {
  const open = heading.lastIndexOf("(");
  return heading.endsWith(")") && isTimeZone(heading.slice(open + 1, -1)) ? heading.slice(0, open) : heading;
}

/**
 * Returns the column that a heading means; `ignored` for a heading of a results file, of a list that the console
 * exports or of the audit log; undefined for an unknown heading. A revocation also ignores the columns of other kinds
 * of job, because the serial number alone identifies the profile.
 */
export function readHeading(kind: JobKind, heading: string): JobColumn | "ignored" | undefined {
  const column = columnOf.get(foldHeading(heading));
  if (column !== undefined && isColumnOf(kind, column)) return column;
  const isPassedOver = passedOver.has(foldHeading(withoutZone(heading)));
  return isPassedOver || (kind === "revocation" && columnOf.has(foldHeading(heading))) ? "ignored" : undefined;
}

/** Whether jobs of the kind have this column. */
export const isColumnOf = (kind: JobKind, column: string): column is JobColumn =>
  (jobColumns[kind] as readonly string[]).includes(column);

/** Returns the columns that a value can mean in a table with one column and no heading. */
export const bareColumns = (kind: JobKind): JobColumn[] =>
  isColumnOf(kind, "email") ? [bareColumn[kind], "email"] : [bareColumn[kind]];

/**
 * Returns the cells of a row of a table with one column and no heading. If the job has a column for e-mail addresses,
 * an e-mail address fills that column and, except in an onboarding, the id as well: an onboarding never creates a
 * person whose id is an e-mail address.
 */
export function bareCells(kind: JobKind, value: string): Map<JobColumn, string> {
  const isAddress = isColumnOf(kind, "email") && isEmailAddress(value);
  const cells = new Map<JobColumn, string>();
  if (!isAddress || kind !== "onboarding") cells.set(bareColumn[kind], value);
  if (isAddress) cells.set("email", value);
  return cells;
}
