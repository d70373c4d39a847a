import type { Migration } from "./migration.ts";

/** Names of profiles that are not active: a device is also looked for once it is revoked. */
export const searchEndedNames: Migration = {
  name: "20261201-0930-search-ended-names",
  transaction: false,
  up: `
create index concurrently if not exists certificates_ended_name_contains
  on certificates using gin (lower(name) gin_trgm_ops) with (gin_pending_list_limit = 1024)
  where revoked_at is not null or lapsed
`,
};
