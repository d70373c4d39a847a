import type { Migration } from "./migration.ts";

/** A line of a worker's log leads to the request that it is about. */
export const requestIds: Migration = {
  name: "20261125-1130-request-ids",
  up: `
alter table issuances add column request_id uuid;
alter table jobs add column request_id uuid;
comment on column issuances.request_id is 'X-Request-Id of the first request for it, or that of its bulk job. For the log alone.';
comment on column jobs.request_id is 'X-Request-Id of the request that created it. For the log alone.';
`,
};
