import type { Migration } from "./migration.ts";

/** The few administrators among all the people of a realm. */
export const administrators: Migration = {
  name: "20261127-1010-administrators",
  transaction: false,
  up: `
create index concurrently users_administrators on users (realm_id, id)
  where 'administrator' = any(roles || provider_roles) and offboarded_at is null;
`,
};
