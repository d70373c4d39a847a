/**
 * The file names that are used in several places, in headers of the API or in the console. The names of profiles' files
 * are in `certificate/profile-file-name.ts`. Every name consists of ASCII letters, digits, dots and hyphens.
 */

/** Returns the name of the file with everything that is stored about a user. */
export const userExportName = (userID: string): string => `user-${userID}.json`;

/** Returns the file name of the audit log. */
export const auditLogName = (form: "csv" | "ndjson"): string => `audit.${form}`;

/** Returns the file name of a bulk job's results, of all rows or of one status. */
export const jobResultsName = (
  { kind, status, id }: { kind: string; status?: string | undefined; id: string },
  form: "csv" | "ndjson",
): string => `${[kind, ...(status === undefined ? [] : [status]), id].join("-")}.${form}`;
