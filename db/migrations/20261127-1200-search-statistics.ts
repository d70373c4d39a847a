import type { Migration } from "./migration.ts";

/**
 * Statistics of the words in names. The planner takes none from a partial index, so it considers every word rare, and
 * gathers all names that contain a frequent one.
 */
export const searchStatistics: Migration = {
  name: "20261127-1200-search-statistics",
  up: `
create statistics certificates_name_words on (lower(name)) from certificates;
create statistics users_display_name_words on (lower(display_name)) from users;
`,
};
