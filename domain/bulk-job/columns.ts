import type { JobKind } from "./job.ts";

/** What a row can say about a person, by the names on the wire. */
export const jobColumns = {
  onboarding: ["pairwiseID", "email", "maxProfiles", "profileName", "deviceType", "format"],
  offboarding: ["userID", "pairwiseID"],
  reactivation: ["userID", "pairwiseID"],
} as const satisfies Record<JobKind, readonly string[]>;

export type JobColumn = (typeof jobColumns)[JobKind][number];

/** Of these columns a table has at least one. */
export const neededColumns = {
  onboarding: ["pairwiseID"],
  offboarding: ["userID", "pairwiseID"],
  reactivation: ["userID", "pairwiseID"],
} as const satisfies Record<JobKind, readonly JobColumn[]>;

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
  userID: ["userid", "benutzerid", "nutzerid"],
  pairwiseID: ["pairwiseid", "kennung"],
  email: ["email", "mail", "emailadresse", "emailaddress"],
  maxProfiles: ["maxprofiles", "maxprofile", "profillimit"],
  profileName: ["profilename", "profilname"],
  deviceType: ["devicetype", "gerätetyp", "geraetetyp"],
  format: ["format", "dateiformat"],
} as const satisfies Record<JobColumn, readonly string[]>;

const folded = (heading: string): string =>
  heading
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s._-]/gu, "");

const columnOf: ReadonlyMap<string, JobColumn> = new Map(
  Object.entries(headings).flatMap(([column, names]) => names.map((name) => [name, column as JobColumn])),
);

/** Columns that are passed over, so that the results of one job can be the input of another. */
const passedOver: ReadonlySet<string> = new Set([...resultColumns, "expected", "password"].map(folded));

/** The column that is meant by a heading; `ignored` for those of a results file, undefined for an unknown one. */
export function readHeading(kind: JobKind, heading: string): JobColumn | "ignored" | undefined {
  const name = folded(heading);
  const column = columnOf.get(name);
  if (column !== undefined && (jobColumns[kind] as readonly JobColumn[]).includes(column)) return column;
  return passedOver.has(name) ? "ignored" : undefined;
}
