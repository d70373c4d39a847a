import type { Migration } from "./migration.ts";

/**
 * The addresses of a realm's RADIUS servers. The release before neither writes nor reads the column: its responders
 * count every address.
 */
export const radiusAddresses: Migration = {
  name: "20261202-1200-radius-addresses",
  up: `
alter table realms
  add column radius_addresses inet[] not null default '{}' check (cardinality(radius_addresses) <= 64);
comment on column realms.radius_addresses is 'Addresses and networks of the RADIUS servers: only they count as the device tried. Empty: every address does.';
`,
};
