import type { Migration } from "./migration.ts";

/** Identities from their beginning: they are what RADIUS servers log. */
export const searchIdentities: Migration = {
  name: "20261126-1220-search-identities",
  transaction: false,
  up: `
create index concurrently if not exists certificates_identity on certificates (realm_id, identity text_pattern_ops)
`,
};
