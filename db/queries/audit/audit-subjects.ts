import { sql, type Sql } from "../../sql.ts";

/** What an audit entry can be about. */
export const subjectKinds = ["user", "profile", "guest", "application"] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** `user:64`, as the function `audit_subjects` writes it. */
export type AuditSubject = `${SubjectKind}:${string}`;

/** Whether audit entry `e` is about any of these. */
export const isAbout = (e: Sql, subjects: readonly AuditSubject[]): Sql =>
  sql`audit_subjects(${e}.properties) && ${subjects}::text[]`;

/**
 * The entries of a realm about any of these, as a table. `offset 0` has them found by what they are about: to sort them,
 * Postgres would otherwise rather read the whole log in its order.
 */
export const entriesAbout = (realmId: string, subjects: readonly AuditSubject[]): Sql => sql`
  (select * from audit_entries where realm_id = ${realmId} and ${isAbout(sql`audit_entries`, subjects)} offset 0)`;
