import type { Migration } from "./migration.ts";

/** Every server process reports that it is alive, and facts about itself. */
export const processes: Migration = {
  name: "20261123-1100-processes",
  up: `
-- Processes of earlier versions are stopped before this: what they wrote says nothing about any that runs.
delete from workers;
alter table workers rename to processes;
alter index workers_pkey rename to processes_pkey;
alter table processes rename constraint workers_ocsp_url_check to processes_ocsp_url_check;
alter table processes
  add column kind text not null check (kind in ('api', 'worker', 'responder')),
  add column host text not null,
  add column pid integer not null,
  add column version text not null,
  add column migration text not null,
  add column clock_skew_ms integer,
  add column queue text,
  add column connections_max integer not null,
  add column problems jsonb not null default '[]' check (jsonb_typeof(problems) = 'array');

comment on table processes is 'A row per running api, worker and responder, refreshed every 5 s and gone after a clean stop.';
comment on column processes.seen_at is 'By the clock of the database, which is one for all processes.';
comment on column processes.version is 'Of the code that the process runs.';
comment on column processes.migration is 'The newest one that this code knows.';
comment on column processes.clock_skew_ms is 'How far the clock of the process''s machine is ahead of the database''s; null: not measured.';
comment on column processes.queue is 'The start of a hash of Redis''s host, port and database, or postgres; null: the process uses no queue.';
comment on column processes.connections_max is 'The most connections to Postgres that the process opens.';
comment on column processes.problems is 'What does not work: [{code, detail, since}].';
comment on column processes.ocsp_url is 'Where the process answers OCSP; null while it does not.';
`,
};
