import type { Migration } from "./migration.ts";

/** The audit log with one line for each bulk job, newest first. */
export const auditLines: Migration = {
  name: "20261201-0910-audit-lines",
  transaction: false,
  up: `
create index concurrently audit_entries_lines on audit_entries (realm_id, at desc, id desc)
  where properties ->> 'job' is null or event in ('job_create', 'job_finish');
`,
};
