import type { Migration } from "./migration.ts";

/**
 * People whom a directory manages over SCIM. The release before neither writes nor reads the table; its workers forget
 * people through the function, which erases the names here, too.
 */
export const scimUsers: Migration = {
  name: "20261203-1500-scim-users",
  up: `
create table scim_users (
  user_id          bigint primary key,
  realm_id         bigint not null references realms,
  client_id        text references applications on delete set null,
  external_id      text check (char_length(external_id) between 1 and 255),
  user_name        text not null check (char_length(user_name) between 1 and 255),
  user_name_folded text generated always as (folded_id(user_name)) stored,
  email_type       text check (char_length(email_type) between 1 and 255),
  email_primary    boolean,
  active           boolean not null,
  offboarded_at    timestamptz,
  deleted_at       timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  constraint scim_users_in_realm foreign key (realm_id, user_id) references users (realm_id, id)
);
comment on table scim_users is 'People whom a directory manages over SCIM, with what it calls them. A deleted row stays: a new POST revives it.';
comment on column scim_users.client_id is 'The connection: the application that made or adopted the person. Null: it was deleted, and another one may adopt them.';
comment on column scim_users.email_type is 'As the directory sent it with the e-mail address; null: work.';
comment on column scim_users.active is 'The directory''s last word. Whether the person has access is in users.';
comment on column scim_users.offboarded_at is 'When SCIM last revoked the person''s profiles; reactivation keeps it. The guard counts it.';
create unique index scim_users_user_name on scim_users (realm_id, user_name_folded) where deleted_at is null;
create unique index scim_users_external_id on scim_users (realm_id, external_id) where deleted_at is null;
create index scim_users_of_connection on scim_users (realm_id, client_id, user_id) where deleted_at is null;
create index scim_users_offboarded on scim_users (realm_id, offboarded_at) where offboarded_at is not null;
create index scim_users_client on scim_users (client_id) where client_id is not null;

create function keep_pairwise_id() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  if exists (select from upstream_identities where user_id = new.id)
     or exists (select from local_credentials where user_id = new.id)
     or exists (select from certificates where user_id = new.id)
     or exists (select from issuances where user_id = new.id) then
    raise exception 'a person who has signed in or has had a profile keeps the pairwise id'
      using errcode = 'check_violation', constraint = 'users_pairwise_id_stays',
            schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$body$;
comment on function keep_pairwise_id is 'Refuses another pairwise id for a person who has signed in or has had a profile. Forgetting them erases it.';
revoke all on function keep_pairwise_id() from public;
create trigger users_pairwise_id_stays before update of pairwise_id on users
  for each row when (new.pairwise_id <> old.pairwise_id and new.forgotten_at is null)
  execute function keep_pairwise_id();

create or replace function forget_users(user_ids bigint[], at timestamptz) returns bigint[]
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $body$
declare
  due bigint[];
  realm_ids bigint[];
  pairwise_ids text[];
  folded_ids text[];
  next_of_twins bigint[];
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
  folded_ids := array(select folded_id(pairwise_id) from users where id = any(due));
  -- Who stays behind alone is nobody's twin: the id would be free for a new one.
  next_of_twins := array(
    select distinct on (t.realm_id, folded_id(t.pairwise_id)) t.id
      from users u
      join users t on t.realm_id = u.realm_id and folded_id(t.pairwise_id) = folded_id(u.pairwise_id)
     where u.id = any(due)
       and u.twin = 0
       and t.id <> all(due)
     order by t.realm_id, folded_id(t.pairwise_id), t.twin);
  known := array(
    select distinct lower(btrim(value))
      from (select unnest(array[pairwise_id, email]) from users where id = any(due)
            union all
            select unnest(array[user_name, external_id]) from scim_users where user_id = any(due)
            union all
            select subject from upstream_identities where user_id = any(due)) as found (value)
     where btrim(value) <> '');

  perform end_sign_ins(due);
  delete from consents where user_id = any(due);
  delete from hand_overs where user_id = any(due);
  delete from upstream_identities where user_id = any(due);
  delete from local_credentials where user_id = any(due);
  delete from scim_users where user_id = any(due);

  update issuances
     set name = '-', description = null, csr = null
   where id in (select issuance_id from certificates where user_id = any(due)
                union all
                select id from issuances where user_id = any(due) and status = 'failed');
  update certificates set name = '-', description = null where user_id = any(due);

  update job_rows r
     set input = array_fill(null::text, array[cardinality(r.input)]),
         pairwise_id = null, email = null, profile_name = null, serial_number = null,
         error_code = case when r.status = 'failed' or r.error_code = 'internal_error' then 'user_forgotten' else r.error_code end,
         message = null
    from jobs j
   where j.realm_id = any(realm_ids)
     and r.job_id = j.id
     and r.status not in ('pending', 'working')
     and (r.user_id = any(due)
          or r.pairwise_id = any(pairwise_ids)
          or (r.user_id is null and folded_id(r.pairwise_id) = any(folded_ids))
          -- A row that was never found to be about anybody may be about them all the same.
          or (r.user_id is null
              and exists (select
                            from unnest(r.input || array[r.pairwise_id, r.email]) as cell
                           where lower(btrim(cell)) = any(known))));

  update users
     set email = '', display_name = null, pairwise_id = chr(127) || id, forgotten_at = at, offboarding_job_id = null
   where id = any(due);
  update users set twin = 0 where id = any(next_of_twins);
  return due;
end
$body$;
`,
};
