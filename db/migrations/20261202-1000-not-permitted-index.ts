import type { Migration } from "./migration.ts";

/** For the list of people whom the identity provider no longer permits: few among many. */
export const notPermittedIndex: Migration = {
  name: "20261202-1000-not-permitted-index",
  transaction: false,
  up: `
create index concurrently if not exists users_not_permitted
  on users (realm_id, id)
  where not_permitted_since is not null
`,
};
