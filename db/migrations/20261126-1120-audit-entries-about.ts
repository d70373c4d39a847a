import type { Migration } from "./migration.ts";

export const auditEntriesAbout: Migration = {
  name: "20261126-1120-audit-entries-about",
  transaction: false,
  up: `create index concurrently audit_entries_about on audit_entries using gin (audit_subjects(properties))
         with (gin_pending_list_limit = 1024)`,
};
