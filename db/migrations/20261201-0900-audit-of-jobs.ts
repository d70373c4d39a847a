import type { Migration } from "./migration.ts";

/** The audit entries of one bulk job, and whether it has ended. */
export const auditOfJobs: Migration = {
  name: "20261201-0900-audit-of-jobs",
  transaction: false,
  up: `
create index concurrently audit_entries_of_jobs on audit_entries (realm_id, (properties ->> 'job'), event, id)
  where properties ->> 'job' is not null;
`,
};
