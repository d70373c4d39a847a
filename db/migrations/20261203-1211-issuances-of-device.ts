import type { Migration } from "./migration.ts";

/** For the page that offers to replace the profile of the same device. */
export const issuancesOfDevice: Migration = {
  name: "20261203-1211-issuances-of-device",
  transaction: false,
  up: `
create index concurrently if not exists issuances_of_device
  on issuances (user_id, device_hash)
  where device_hash is not null
`,
};
