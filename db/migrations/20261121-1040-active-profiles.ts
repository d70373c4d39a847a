import type { Migration } from "./migration.ts";

/**
 * Active profiles of users in a table of their own, narrow enough that what no index answers is read in milliseconds. It
 * takes the indexes of active profiles over from `certificates`, whose rows carry a whole certificate each.
 */
export const activeProfiles: Migration = {
  name: "20261121-1040-active-profiles",
  up: `
create table active_profiles (
  id            bigint not null,
  realm_id      bigint not null,
  serial_number text collate "C" not null,
  created_at    timestamptz not null,
  not_after     timestamptz not null,
  device_type   text,
  authable      boolean not null,
  constraint active_profiles_created primary key (realm_id, created_at, id) include (not_after, device_type, authable)
);
comment on table active_profiles is 'What lists search, filter and sort active profiles of users by. Kept by triggers of certificates; one that has run out stays until upkeep has seen it.';
comment on column active_profiles.id is 'Of the certificate. Without a foreign key, which would lock its row for every issuance; triggers add and remove.';

create table profile_spans (
  realm_id      bigint primary key,
  shortest_days integer not null,
  longest_days  integer not null
);
comment on table profile_spans is 'Between how many whole days from being made every active profile of a user ends: what bounds one date bounds the other.';

insert into active_profiles (id, realm_id, serial_number, created_at, not_after, device_type, authable)
select id, realm_id, serial_number, created_at, not_after, device_type, authable
  from certificates
 where kind = 'user' and revoked_at is null and not lapsed
 order by id;

insert into profile_spans (realm_id, shortest_days, longest_days)
select realm_id, floor(min(extract(epoch from not_after - created_at)) / 86400),
       ceil(max(extract(epoch from not_after - created_at)) / 86400)
  from active_profiles
 group by realm_id;

drop index certificates_active_created, certificates_active_ending, certificates_active_serial, certificates_active_device,
  certificates_active_authable, certificates_serial_contains;
create index active_profiles_ending on active_profiles (realm_id, not_after, id) include (created_at, device_type, authable);
create index active_profiles_serial on active_profiles (realm_id, serial_number, id)
  include (not_after, created_at, device_type, authable);
create index active_profiles_device on active_profiles (realm_id, device_type, created_at, id) include (not_after, authable);
create index active_profiles_authable on active_profiles (realm_id, created_at, id) include (not_after, device_type) where authable;
create index active_profiles_serial_contains on active_profiles using gin (serial_number gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
alter table active_profiles set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Spans are read and hardly ever written, so that nobody who issues waits for another.
create function add_active_profiles() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  insert into active_profiles (id, realm_id, serial_number, created_at, not_after, device_type, authable)
  select id, realm_id, serial_number, created_at, not_after, device_type, authable
    from added
   where kind = 'user' and revoked_at is null and not lapsed;

  insert into profile_spans (realm_id, shortest_days, longest_days)
  select realm_id, shortest, longest
    from (select realm_id, floor(min(extract(epoch from not_after - created_at)) / 86400) as shortest,
                 ceil(max(extract(epoch from not_after - created_at)) / 86400) as longest
            from added
           where kind = 'user'
           group by realm_id) as spans
   where not exists (select from profile_spans s
                      where s.realm_id = spans.realm_id
                        and s.shortest_days <= spans.shortest
                        and s.longest_days >= spans.longest)
   order by realm_id
      on conflict (realm_id) do update
     set shortest_days = least(profile_spans.shortest_days, excluded.shortest_days),
         longest_days = greatest(profile_spans.longest_days, excluded.longest_days);
  return null;
end
$body$;
revoke all on function add_active_profiles() from public;
create trigger certificates_become_active
  after insert on certificates
  referencing new table as added
  for each statement execute function add_active_profiles();

create function remove_active_profile() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  delete from active_profiles where realm_id = old.realm_id and created_at = old.created_at and id = old.id;
  return null;
end
$body$;
revoke all on function remove_active_profile() from public;
create trigger certificates_end
  after update of revoked_at, lapsed on certificates
  for each row when (old.kind = 'user' and (new.revoked_at is not null or new.lapsed))
  execute function remove_active_profile();
create trigger certificates_go
  after delete on certificates
  for each row when (old.kind = 'user') execute function remove_active_profile();

grant select on active_profiles, profile_spans to realmpass_api, realmpass_worker, realmpass_operator;
`,
};
