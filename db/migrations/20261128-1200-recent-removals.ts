import type { Migration } from "./migration.ts";

/** The number of a realm's people and profiles that lost access within the last hour without confirmation. */
export const recentRemovals: Migration = {
  name: "20261128-1200-recent-removals",
  up: `
create table recent_removals (
  realm_id bigint not null references realms,
  place smallint not null check (place between 0 and 59),
  slot smallint not null check (slot between 0 and 15),
  minute timestamptz not null,
  removals integer not null check (removals >= 0),
  primary key (realm_id, place, slot)
) with (fillfactor = 50);
comment on table recent_removals is 'How many people were offboarded and profiles revoked in each minute of the last hour without a confirmed number. A minute takes the row of the minute an hour before.';
comment on column recent_removals.place is 'The minute of the hour.';
comment on column recent_removals.slot is 'Of the connection, so that those who revoke at once rarely wait for one another.';
`,
};
