import type { Migration } from "./migration.ts";

/** Names of active profiles only: the others grow with the years. */
export const searchNames: Migration = {
  name: "20261126-1230-search-names",
  transaction: false,
  up: `
create index concurrently if not exists certificates_name_contains
  on certificates using gin (lower(name) gin_trgm_ops) with (gin_pending_list_limit = 1024)
  where revoked_at is null and not lapsed
`,
};
