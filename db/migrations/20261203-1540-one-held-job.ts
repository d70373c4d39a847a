import type { Migration } from "./migration.ts";

/** A realm has one open held job: the people who come later join it. */
export const oneHeldJob: Migration = {
  name: "20261203-1540-one-held-job",
  transaction: false,
  up: `
create unique index concurrently if not exists jobs_held
  on jobs (realm_id)
  where state = 'grace' and revoke_at is null
`,
};
