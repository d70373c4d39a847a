import type { Migration } from "./migration.ts";

/** Offboardings that SCIM has held until a person confirms them. */
export const scimJobs: Migration = {
  name: "20261203-1520-scim-jobs",
  up: `
alter table jobs drop constraint jobs_origin_check,
  add constraint jobs_origin_check check (origin in ('upload', 'retry', 'undo', 'user', 'filter', 'scim')) not valid;
comment on column jobs.origin is 'What made it: a file or list, a retry or an undo of another job, the offboarding of one user with days of grace, all that a search and filter of a list found, or the guard of SCIM.';
comment on column jobs.revoke_at is 'Offboarding with days of grace: when profiles are revoked, from when everybody was locked out. Null in grace: held until a person confirms.';
`,
};
