import type { Migration } from "./migration.ts";

/** Bulk jobs of all that a search and filter of a list found. */
export const matching: Migration = {
  name: "20261125-1010-matching",
  up: `
alter table jobs drop constraint jobs_origin_check,
  add constraint jobs_origin_check check (origin in ('upload', 'retry', 'undo', 'user', 'filter'));
alter table jobs add column matching jsonb;
comment on column jobs.origin is 'What made it: a file or list, a retry or an undo of another job, the offboarding of one user with days of grace, or all that a search and filter of a list found.';
comment on column jobs.matching is 'Origin filter: the search and filter, {search, filter}, as the client gave them.';
`,
};
