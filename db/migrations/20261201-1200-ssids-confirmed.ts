import type { Migration } from "./migration.ts";

/**
 * Whether somebody named a realm's networks, even if they are the default. The release before neither writes nor reads
 * the column; networks that it sets differ from the default.
 */
export const ssidsConfirmed: Migration = {
  name: "20261201-1200-ssids-confirmed",
  up: `
alter table realms add column ssids_confirmed boolean not null default false;
comment on column realms.ssids_confirmed is 'Whether somebody named the networks; false: they are the default that nobody has looked at.';
`,
};
