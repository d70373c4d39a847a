import type { Migration } from "./migration.ts";

/**
 * How often words are in names, for the planner: it takes no statistics from indexes of some rows, holds every word for rare,
 * and then gathers all names that have a frequent one.
 */
export const searchStatistics: Migration = {
  name: "20261127-1200-search-statistics",
  up: `
create statistics certificates_name_words on (lower(name)) from certificates;
create statistics users_display_name_words on (lower(display_name)) from users;
`,
};
