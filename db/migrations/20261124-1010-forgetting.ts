import type { Migration } from "./migration.ts";

/** Realms that forget people who were offboarded long ago, and what is erased of them. */
export const forgetting: Migration = {
  name: "20261124-1010-forgetting",
  up: `
alter table realms add column forget_after_months integer check (forget_after_months between 1 and 120);
comment on column realms.forget_after_months is 'People who were offboarded longer ago are forgotten; null: nobody is.';

alter table users add column forgotten_at timestamptz;
comment on column users.forgotten_at is 'When what names this person was erased. The pairwise id is then a DEL character and the id, which no person can have.';
alter table users add constraint users_forgotten check (
  forgotten_at is null
  or (offboarded_at is not null and email = '' and display_name is null and pairwise_id = chr(127) || id));
comment on table users is 'The people of a realm. No row is ever deleted: an offboarded person must not come back as a new one before they are forgotten.';

-- Those that failed have no certificate to be found by.
create index issuances_failed_of_user on issuances (user_id) where status = 'failed' and user_id is not null;

create function forget_users(user_ids bigint[], at timestamptz) returns bigint[]
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $body$
declare
  due bigint[];
  realm_ids bigint[];
  pairwise_ids text[];
  known text[];
begin
  -- Judged here, too: who may call this forgets nobody before their time, and a clock that is ahead changes nothing.
  due := array(
    select u.id
      from users u
      join realms r on r.id = u.realm_id
     where u.id = any(user_ids)
       and u.forgotten_at is null
       and u.offboarded_at <= least(at, clock_timestamp()) - make_interval(months => r.forget_after_months)
       and not exists (select from certificates c
                        where c.user_id = u.id
                          and c.revoked_at is null
                          and c.not_after > least(at, clock_timestamp()))
       and not exists (select from issuances i where i.user_id = u.id and i.status in ('queued', 'signing'))
     order by u.id
       for no key update of u);
  if cardinality(due) = 0 then
    return due;
  end if;
  realm_ids := array(select distinct realm_id from users where id = any(due));
  pairwise_ids := array(select pairwise_id from users where id = any(due));
  known := array(
    select distinct lower(btrim(value))
      from (select unnest(array[pairwise_id, email]) from users where id = any(due)
            union all
            select subject from upstream_identities where user_id = any(due)) as found (value)
     where btrim(value) <> '');

  perform end_sign_ins(due);
  delete from consents where user_id = any(due);
  delete from hand_overs where user_id = any(due);
  delete from upstream_identities where user_id = any(due);
  delete from local_credentials where user_id = any(due);

  update issuances
     set name = '-', description = null, csr = null
   where id in (select issuance_id from certificates where user_id = any(due)
                union all
                select id from issuances where user_id = any(due) and status = 'failed');
  update certificates set name = '-', description = null where user_id = any(due);

  update job_rows r
     set input = array_fill(null::text, array[cardinality(r.input)]),
         pairwise_id = null, email = null, profile_name = null,
         error_code = case when r.status = 'failed' or r.error_code = 'internal_error' then 'user_forgotten' else r.error_code end,
         message = null
    from jobs j
   where j.realm_id = any(realm_ids)
     and r.job_id = j.id
     and r.status not in ('pending', 'working')
     and (r.user_id = any(due)
          or r.pairwise_id = any(pairwise_ids)
          -- A row that was never found to be about anybody may be about them all the same.
          or (r.user_id is null
              and exists (select
                            from unnest(r.input || array[r.pairwise_id, r.email]) as cell
                           where lower(btrim(cell)) = any(known))));

  update users
     set email = '', display_name = null, pairwise_id = chr(127) || id, forgotten_at = at, offboarding_job_id = null
   where id = any(due);
  return due;
end
$body$;
comment on function forget_users(bigint[], timestamptz) is 'Erases what names users whose time is up, and answers which those are. Workers call it, who may not read all of what it erases.';
revoke all on function forget_users(bigint[], timestamptz) from public;
`,
};
