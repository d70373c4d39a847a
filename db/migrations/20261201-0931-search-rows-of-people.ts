import type { Migration } from "./migration.ts";

/** The rows of bulk jobs by the person that they are about. */
export const searchRowsOfPeople: Migration = {
  name: "20261201-0931-search-rows-of-people",
  transaction: false,
  up: `
create index concurrently if not exists job_rows_of_user on job_rows (user_id) where user_id is not null
`,
};
