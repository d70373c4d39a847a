import type { Migration } from "./migration.ts";

/** The values of the attributes that a realm names. The release before neither writes nor reads them. */
export const attributesOfPeople: Migration = {
  name: "20261203-1710-attributes-of-people",
  up: `
alter table scim_users add column attributes jsonb not null default '{}';
comment on column scim_users.attributes is 'The values of attributes that the realm names, as sent, by path in lower case.';
`,
};
