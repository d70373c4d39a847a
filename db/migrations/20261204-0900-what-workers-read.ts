import type { Migration } from "./migration.ts";

/**
 * Workers no longer read these columns (`db/rights.ts`). A change of the rights needs a migration: by it, the previous
 * release's `migrate` and `doctor` recognise the rights of a newer release, and leave them alone.
 */
export const whatWorkersRead: Migration = {
  name: "20261204-0900-what-workers-read",
  up: `
comment on column guest_accounts.token_sealed is 'The token under the master key, for administrators who read it again; null once the master key it was sealed under was lost. Workers may not read it.';
comment on column realms.upstream_client_secret is 'Sealed under the service''s master key. Workers may not read it.';
`,
};
