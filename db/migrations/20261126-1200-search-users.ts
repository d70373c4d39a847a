import type { Migration } from "./migration.ts";

/**
 * What the search looks in beside the pairwise id and the e-mail address, which have their indexes: names of people. Most
 * people have none before they sign in, so that onboarding does not pay for it.
 */
export const searchUsers: Migration = {
  name: "20261126-1200-search-users",
  transaction: false,
  up: `
create index concurrently if not exists users_display_name_contains
  on users using gin (lower(display_name) gin_trgm_ops) where display_name is not null
`,
};
