import type { Migration } from "./migration.ts";

/** Counts of applications' requests. The release before neither writes nor reads them. */
export const applicationRequests: Migration = {
  name: "20261203-1110-application-requests",
  up: `
create table application_requests (
  client_id text not null references applications on delete cascade,
  hour timestamptz not null,
  status smallint not null check (status between 200 and 599),
  requests bigint not null check (requests > 0),
  primary key (client_id, hour, status)
) with (fillfactor = 50);
comment on table application_requests is 'How many requests of an application the API answered, by hour and HTTP status. Every api adds to it once a minute; no person and no path is in it.';
create index application_requests_hour on application_requests (hour);
`,
};
