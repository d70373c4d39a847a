import type { Migration } from "./migration.ts";

/** Counts of answers to RADIUS servers. The release before neither writes nor reads them. */
export const statusCounts: Migration = {
  name: "20261201-1000-status-counts",
  up: `
create table status_counts (
  realm_id bigint not null references realms,
  hour timestamptz not null,
  address inet not null,
  good bigint not null,
  refused bigint not null,
  last_at timestamptz not null,
  primary key (realm_id, hour, address),
  check (good >= 0 and refused >= 0),
  check (extract(epoch from hour) % 3600 = 0)
) with (fillfactor = 50);
comment on table status_counts is 'How often servers asked about devices by OCSP, by hour and address. Responders add to it once a minute; a device is in none of its rows.';
comment on column status_counts.address is '::, for addresses beyond those that a responder counts one by one.';
comment on column status_counts.good is 'Answers that a certificate is good.';
comment on column status_counts.refused is 'Answers that a certificate is revoked.';
create index status_counts_hour on status_counts (hour);
`,
};
