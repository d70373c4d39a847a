import type { Migration } from "./migration.ts";

/** An index for each way in which a list is sorted or filtered; each can be read from either end. */
export const lists: Migration = {
  name: "20261121-1030-lists",
  up: `
create extension if not exists pg_trgm;

-- "Contains" in any letter case: comparing what is folded already costs a third of folding it for every search.
alter table users add column pairwise_id_folded text generated always as (lower(pairwise_id)) stored;
alter table users add column email_folded text generated always as (lower(email)) stored;
create index users_pairwise_id_contains on users using gin (pairwise_id_folded gin_trgm_ops);
create index users_email_contains on users using gin (email_folded gin_trgm_ops);
create index users_locked on users (realm_id, locked_at, id);
create index users_locked_last on users (realm_id, locked_at desc nulls last, id desc);
create index users_offboarded on users (realm_id, offboarded_at, id);
create index users_offboarded_last on users (realm_id, offboarded_at desc nulls last, id desc);

alter table certificates add column lapsed boolean not null default false;
comment on column certificates.lapsed is 'Upkeep has seen that it ran out. Active ones are looked for among the others, which no longer grow with the years.';

create table user_profile_counts (
  user_id       bigint primary key references users on delete cascade,
  realm_id      bigint not null references realms,
  profile_count integer not null default 0
);
comment on table user_profile_counts is 'How many active profiles each user has, for sorting and filtering by it; up to half a minute late with those that run out.';
create index user_profile_counts_sorted on user_profile_counts (realm_id, profile_count, user_id);

create function add_profile_counts() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  insert into user_profile_counts (user_id, realm_id) select id, realm_id from added order by id;
  return null;
end
$body$;
revoke all on function add_profile_counts() from public;
create trigger users_have_profile_counts
  after insert on users
  referencing new table as added
  for each statement execute function add_profile_counts();

-- Rows are locked in the order of their ids, so that two batches never wait for each other; and looked up one by one, for
-- a plan that was made for a large batch is used for small ones as well.
create function count_profiles() returns trigger
language plpgsql security definer set search_path = public, pg_temp set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  with more as (
    select user_id, count(*) as profiles
      from added
     where kind = 'user'
       and revoked_at is null
       and not lapsed
     group by user_id
  ), held as materialized (
    select p.user_id, more.profiles
      from user_profile_counts p
      join more on more.user_id = p.user_id
     order by p.user_id
       for no key update of p
  )
  update user_profile_counts p
     set profile_count = p.profile_count + held.profiles
    from held
   where p.user_id = held.user_id;
  return null;
end
$body$;
revoke all on function count_profiles() from public;
create trigger certificates_are_counted
  after insert on certificates
  referencing new table as added
  for each statement execute function count_profiles();

create or replace function mark_revoked() returns trigger
language plpgsql security definer set search_path = public, pg_temp set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  with marked as (
    update certificates
       set revoked_at = added.revoked_at,
           revocation_reason = added.reason
      from added
     where certificates.id = added.certificate_id
       and certificates.revoked_at is null
    returning certificates.user_id, certificates.lapsed
  ), fewer as (
    select user_id, count(*) as profiles
      from marked
     where user_id is not null
       and not lapsed
     group by user_id
  ), held as materialized (
    select p.user_id, fewer.profiles
      from user_profile_counts p
      join fewer on fewer.user_id = p.user_id
     order by p.user_id
       for no key update of p
  )
  update user_profile_counts p
     set profile_count = p.profile_count - held.profiles
    from held
   where p.user_id = held.user_id;
  return null;
end
$body$;

insert into user_profile_counts (user_id, realm_id, profile_count)
select u.id, u.realm_id, count(c.id)
  from users u
  left join certificates c on c.user_id = u.id and c.revoked_at is null
 group by u.id;

grant select on user_profile_counts to realmpass_api, realmpass_worker, realmpass_operator;
grant update (profile_count) on user_profile_counts to realmpass_worker;
grant update (lapsed) on certificates to realmpass_worker;

-- Active profiles of users. What can be filtered by is in every one, so that counting and skipping reads no row.
create index certificates_active_created on certificates (realm_id, created_at, id)
  include (not_after, device_type, authable) where kind = 'user' and revoked_at is null and not lapsed;
create index certificates_active_ending on certificates (realm_id, not_after, id)
  include (created_at, device_type, authable) where kind = 'user' and revoked_at is null and not lapsed;
create index certificates_active_serial on certificates (realm_id, serial_number, id)
  include (not_after, created_at, device_type, authable) where kind = 'user' and revoked_at is null and not lapsed;
create index certificates_active_device on certificates (realm_id, device_type, created_at, id)
  include (not_after, authable) where kind = 'user' and revoked_at is null and not lapsed;
create index certificates_active_authable on certificates (realm_id, created_at, id)
  include (not_after, device_type) where kind = 'user' and revoked_at is null and not lapsed and authable;
create index certificates_serial_contains on certificates using gin (serial_number gin_trgm_ops)
  with (gin_pending_list_limit = 1024) where kind = 'user' and revoked_at is null and not lapsed;

-- Large tables: their upkeep must not wait until a fifth of them has changed.
alter table certificates set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
alter table audit_entries set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
alter table user_profile_counts set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
`,
};
