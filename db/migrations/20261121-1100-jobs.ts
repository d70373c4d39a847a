import type { Migration } from "./migration.ts";

/** Bulk onboarding and offboarding: a job, and a row for each person in it. */
export const bulkJobs: Migration = {
  name: "20261121-1100-jobs",
  up: `
alter table realms add column offboarding_share_percent integer not null default 20 check (offboarding_share_percent between 0 and 100);
comment on column realms.offboarding_share_percent is 'A bulk offboarding of more than this share of the active users needs its number confirmed.';

create table jobs (
  id                   uuid primary key,
  realm_id             bigint not null references realms,
  kind                 text not null check (kind in ('onboarding', 'offboarding')),
  state                text not null check (state in ('receiving', 'checking', 'ready', 'scheduled', 'queued', 'running', 'cancelling',
                                                      'cancelled', 'completed', 'completed_with_errors', 'failed')),
  dry_run              boolean not null,
  columns              text[] not null,
  created_at           timestamptz not null,
  created_by_user_id   bigint,
  created_by_client_id text,
  execute_at           timestamptz,
  confirm_total        integer,
  started_at           timestamptz,
  finished_at          timestamptz,
  total                integer not null default 0 check (total >= 0),
  changed              integer not null default 0,
  unchanged            integer not null default 0,
  failed               integer not null default 0,
  skipped              integer not null default 0,
  expected_change      integer,
  marked_at            timestamptz,
  cancelled_by         jsonb,
  error_code           text,
  revision             bigint not null default 0,
  progress_at          timestamptz not null,
  attended_at          timestamptz,
  rate_from_at         timestamptz,
  rate_from_done       integer not null default 0,
  rate_next_at         timestamptz,
  rate_next_done       integer not null default 0,
  output_erased_at     timestamptz,
  constraint jobs_counts check (changed >= 0 and unchanged >= 0 and failed >= 0 and skipped >= 0
                                and changed + unchanged + failed + skipped <= total),
  constraint jobs_finished check ((finished_at is not null) = (state in ('cancelled', 'completed', 'completed_with_errors', 'failed'))),
  constraint jobs_add_up check (state not in ('cancelled', 'completed', 'completed_with_errors')
                                or changed + unchanged + failed + skipped = total)
);
comment on table jobs is 'Bulk onboarding and offboarding. Counts change in the transactions that change the rows.';
comment on column jobs.state is 'receiving: the upload is under way; nobody sees such a job, and one whose upload broke off is removed.';
comment on column jobs.columns is 'The columns of the input, in its order, under their own names.';
comment on column jobs.expected_change is 'How many people the check found that would change. Null: not checked yet.';
comment on column jobs.marked_at is 'Offboarding: when everybody was locked out; what is left is to revoke their profiles.';
comment on column jobs.cancelled_by is 'Who asked to stop it: {user, client, at}.';
comment on column jobs.revision is 'Counts every change that a watcher sees.';
comment on column jobs.progress_at is 'When something moved last: an upload that has been silent for long is given up, a running job has stalled.';
comment on column jobs.attended_at is 'When a worker last looked into it because nothing moved: one at a time does.';
comment on column jobs.rate_from_at is 'Where the window of the moving rate begins, with rate_from_done rows done then; rate_next_ is where the next window will.';
create index jobs_newest on jobs (realm_id, created_at desc, id desc);
create index jobs_unfinished on jobs (created_at) where finished_at is null;
create index jobs_with_output on jobs (finished_at) where finished_at is not null and output_erased_at is null;

create table job_rows (
  job_id       uuid not null references jobs on delete cascade,
  position     integer not null check (position > 0),
  input        text[] not null,
  pairwise_id  text,
  user_id      bigint,
  email        text,
  max_profiles integer,
  profile_name text,
  device_type  text,
  format       text,
  status       text not null default 'pending' check (status in ('pending', 'working', 'changed', 'unchanged', 'failed', 'skipped')),
  expected     text check (expected in ('changed', 'unchanged', 'failed')),
  error_code   text,
  message      text,
  issuance_id  uuid,
  primary key (job_id, position),
  constraint job_rows_error check (status not in ('changed', 'unchanged') or error_code is null)
) with (fillfactor = 70);
comment on table job_rows is 'One person of a bulk job. Its final status is written in the transaction of what is done for it, so nothing is done twice.';
comment on column job_rows.position is 'Which row of the input this is, the first 1, the header not counted.';
comment on column job_rows.input is 'The cells as they were given, in the order of the job''s columns.';
comment on column job_rows.status is 'working: locked out but not yet revoked, or its profile is being issued.';
comment on column job_rows.expected is 'What the check found would become of it.';
create index job_rows_unfinished on job_rows (job_id, position) where status in ('pending', 'working');
create index job_rows_failed on job_rows (job_id, position) where status = 'failed';

-- What a job issued is kept with the job, not with the clock of single outputs.
alter table issuance_outputs add column job_id uuid;
comment on column issuance_outputs.job_id is 'The bulk job whose results carry this output; erased with them.';
drop index issuance_outputs_unerased, issuance_outputs_collected;
create index issuance_outputs_unerased on issuance_outputs (created_at) where sealed is not null and job_id is null;
create index issuance_outputs_collected on issuance_outputs (collected_at)
  where sealed is not null and collected_at is not null and job_id is null;
create index issuance_outputs_of_job on issuance_outputs (job_id) where sealed is not null and job_id is not null;

create function end_sign_ins(user_ids bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  delete from sessions where user_id = any(user_ids);
  delete from logins where user_id = any(user_ids);
  delete from access_tokens where user_id = any(user_ids);
  delete from sign_in_links where user_id = any(user_ids);
end
$body$;
comment on function end_sign_ins is 'Ends everything that users are signed in to. Workers may call it, who can read no token.';
revoke all on function end_sign_ins(bigint[]) from public;
grant execute on function end_sign_ins(bigint[]) to realmpass_api, realmpass_worker;

grant select, insert, update, delete on jobs, job_rows to realmpass_api;
grant select, update, delete on jobs, job_rows to realmpass_worker;
grant select on jobs, job_rows to realmpass_operator;
grant insert on users, issuances to realmpass_worker;
grant update (email, profile_override, offboarded_at) on users to realmpass_worker;
`,
};
