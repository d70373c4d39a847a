/**
 * The names of files that several places name, whether the API's header or the console names them. Profiles have theirs
 * in `certificate/profile-file-name.ts`. Every name is letters, digits, dots and hyphens of ASCII.
 */

/** Names the record of everything that is stored about a user. */
export const userExportName = (userID: string): string => `user-${userID}.json`;

/** Names the audit log. */
export const auditLogName = (form: "csv" | "ndjson"): string => `audit.${form}`;

/** Names the results of a bulk job, of all rows or of one status. */
export const jobResultsName = (
  { kind, status, id }: { kind: string; status?: string | undefined; id: string },
  form: "csv" | "ndjson",
): string => `${[kind, ...(status === undefined ? [] : [status]), id].join("-")}.${form}`;
