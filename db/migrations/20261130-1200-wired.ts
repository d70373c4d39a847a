import type { Migration } from "./migration.ts";

/** Wired networks in files for devices. The release before neither writes nor reads the column; its files have Wi-Fi alone. */
export const wired: Migration = {
  name: "20261130-1200-wired",
  up: `
alter table realms add column wired boolean not null default false;
comment on column realms.wired is 'Whether files for devices also set up wired networks (IEEE 802.1X).';
`,
};
