import type { Migration } from "./migration.ts";

/**
 * For `doctor`: a row to write, which shows that the database takes writes, and the last exported position of the audit
 * log.
 */
export const whatDoctorAsks: Migration = {
  name: "20261125-1120-what-doctor-asks",
  up: `
alter table installation add column probed_at timestamptz;
comment on column installation.probed_at is 'When doctor last looked whether the database can be written to.';
create table audit_exports (
  realm_id bigint primary key references realms,
  position bigint not null,
  at timestamptz not null
);
comment on table audit_exports is 'Until where each realm''s audit log was exported into files, and when.';
`,
};
