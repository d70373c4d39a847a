import type { Migration } from "./migration.ts";

/** Since when a user whom the identity provider signs in may not use the realm. */
export const notPermitted: Migration = {
  name: "20261128-1700-not-permitted",
  up: `
alter table users add column not_permitted_since timestamptz;
comment on column users.not_permitted_since is 'When a sign-in was first refused since the identity provider says that the person may not use the realm; null: they may. Profiles and sessions stay.';
`,
};
