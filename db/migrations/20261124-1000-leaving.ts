import type { Migration } from "./migration.ts";

/** Leaving with days of grace, letting many people back in, and taking an offboarding back. */
export const leaving: Migration = {
  name: "20261124-1000-leaving",
  up: `
alter table jobs drop constraint jobs_kind_check,
  add constraint jobs_kind_check check (kind in ('onboarding', 'offboarding', 'reactivation'));
alter table jobs drop constraint jobs_state_check,
  add constraint jobs_state_check check (state in ('receiving', 'checking', 'ready', 'scheduled', 'queued', 'running', 'grace',
                                                   'cancelling', 'cancelled', 'completed', 'completed_with_errors', 'failed'));
alter table jobs
  add column origin text not null default 'upload' check (origin in ('upload', 'retry', 'undo', 'user')),
  add column grace_days integer check (grace_days between 1 and 30),
  add column revoke_at timestamptz,
  add column undo_of uuid;
comment on table jobs is 'Bulk onboarding, offboarding and reactivation. Counts change in the transactions that change the rows.';
comment on column jobs.origin is 'What made it: a file or list, a retry or an undo of another job, or the offboarding of one user with days of grace.';
comment on column jobs.grace_days is 'Offboarding: profiles are revoked so many days after everybody was locked out. Null: at once.';
comment on column jobs.revoke_at is 'Offboarding with days of grace: when profiles are revoked, from when everybody was locked out.';
comment on column jobs.undo_of is 'The offboarding that this reactivation takes back: it lets in those alone whom that one has locked out. No foreign key: jobs are removed after 90 days.';
create index jobs_undoing on jobs (undo_of, created_at) where undo_of is not null;

create or replace function keep_offboarded() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not (pg_has_role(current_user, 'realmpass_api', 'usage') or pg_has_role(current_user, 'realmpass_operator', 'usage')
          or pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage')) then
    raise exception 'only the api and the operator take an offboarding back'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$body$;

create function let_back_in(job uuid, from_position integer, to_position integer, user_ids bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $body$
declare
  let_in integer;
begin
  with people as materialized (
    select r.user_id, r.pairwise_id, j.realm_id, j.undo_of
      from jobs j
      join job_rows r on r.job_id = j.id
     where j.id = job
       and j.kind = 'reactivation'
       and j.state = 'running'
       and r.position >= from_position
       and r.position < to_position
       and r.status = 'pending'
  ), entitled as materialized (
    select u.id
      from unnest(user_ids) as given (id)
      join users u on u.id = given.id
     where u.offboarded_at is not null
       and exists (select
                     from people p
                    where p.realm_id = u.realm_id
                      and (p.user_id = u.id or (p.user_id is null and p.pairwise_id = u.pairwise_id))
                      and (p.undo_of is null or p.undo_of = u.offboarding_job_id))
  )
  update users u
     set offboarded_at = null, offboarding_job_id = null
    from entitled e
   where u.id = e.id;
  get diagnostics let_in = row_count;
  if let_in <> cardinality(user_ids) then
    raise exception 'a worker lets in whom a running reactivation names, and nobody else'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'users';
  end if;
end
$body$;
comment on function let_back_in is 'Lets offboarded people sign in again who are in unfinished rows of a running reactivation. Workers may call it, who cannot take an offboarding back otherwise and cannot create jobs.';
revoke all on function let_back_in(uuid, integer, integer, bigint[]) from public;
`,
};
