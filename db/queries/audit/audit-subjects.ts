import { sql, type Sql } from "../../sql.ts";

/** The kinds of subject that an audit entry can be about. */
export const subjectKinds = ["user", "profile", "guest", "application"] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** A subject such as `user:64`, in the form that the function `audit_subjects` writes. */
export type AuditSubject = `${SubjectKind}:${string}`;

/** Tests whether audit entry `e` is about any of these subjects. */
export const isAbout = (e: Sql, subjects: readonly AuditSubject[]): Sql =>
  sql`audit_subjects(${e}.properties) && ${subjects}::text[]`;

/**
 * Selects a realm's entries about any of these subjects, as a table. `offset 0` makes Postgres find the entries by
 * subject: otherwise it would read the whole log in order, to avoid sorting.
 */
export const entriesAbout = (realmId: string, subjects: readonly AuditSubject[]): Sql => sql`
  (select * from audit_entries where realm_id = ${realmId} and ${isAbout(sql`audit_entries`, subjects)} offset 0)`;
