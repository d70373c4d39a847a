import type { Migration } from "./migration.ts";

/**
 * A bulk job's name, the place of its rows in the file, the users behind e-mail addresses, and the number of profiles
 * that a check counts.
 */
export const jobFiles: Migration = {
  name: "20261124-1020-job-files",
  up: `
alter table jobs
  add column name text check (char_length(name) between 1 and 200),
  add column row_offset integer not null default 0 check (row_offset >= 0),
  add column affected_profiles integer check (affected_profiles >= 0);
comment on column jobs.name is 'What the client calls it: the name of a file, or a title.';
comment on column jobs.row_offset is 'How many rows of the file come before row 1: what is to be added to a position for the number that its author sees.';
comment on column jobs.affected_profiles is 'Offboarding: how many profiles the check found that would be revoked. Null: not checked, or another kind.';

alter table job_rows add column affected_profiles integer check (affected_profiles >= 0);
comment on column job_rows.affected_profiles is 'Offboarding: how many active profiles the person had at the check.';

create index users_email on users (realm_id, email_folded);
`,
};
