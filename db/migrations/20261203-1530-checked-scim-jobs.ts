import type { Migration } from "./migration.ts";

/** Checks the jobs that are there, while they can be used. */
export const checkedScimJobs: Migration = {
  name: "20261203-1530-checked-scim-jobs",
  up: `alter table jobs validate constraint jobs_origin_check`,
};
