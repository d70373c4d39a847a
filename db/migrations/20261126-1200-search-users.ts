import type { Migration } from "./migration.ts";

/**
 * An index of people's names, for the search; the pairwise id and the e-mail address have theirs. Most people have no
 * name before they sign in, so onboarding does not pay for it.
 */
export const searchUsers: Migration = {
  name: "20261126-1200-search-users",
  transaction: false,
  up: `
create index concurrently if not exists users_display_name_contains
  on users using gin (lower(display_name) gin_trgm_ops) where display_name is not null
`,
};
