import type { Migration } from "./migration.ts";

/** The few people with a role among all of a realm. */
export const peopleWithRoles: Migration = {
  name: "20261127-1220-people-with-roles",
  transaction: false,
  up: `
create index concurrently users_with_roles on users (realm_id, id) where roles || provider_roles <> '{}';
`,
};
