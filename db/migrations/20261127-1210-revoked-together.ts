import type { Migration } from "./migration.ts";

/**
 * Profiles that are revoked leave the table of active ones together, in place of one by one. Plans are kept: they are for
 * tables that have grown, also when they are made while there is almost nothing in them.
 */
export const revokedTogether: Migration = {
  name: "20261127-1210-revoked-together",
  up: `
create or replace function mark_revoked() returns trigger
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  with marked as (
    update certificates
       set revoked_at = added.revoked_at,
           revocation_reason = added.reason
      from added
     where certificates.id = added.certificate_id
       and certificates.revoked_at is null
    returning certificates.id, certificates.realm_id, certificates.created_at, certificates.user_id, certificates.lapsed
  ), ended as (
    delete from active_profiles a
     using marked
     where marked.user_id is not null
       and a.realm_id = marked.realm_id
       and a.created_at = marked.created_at
       and a.id = marked.id
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

-- What is revoked has left already.
create or replace trigger certificates_end after update of lapsed on certificates
  for each row when (old.kind = 'user' and new.lapsed) execute function remove_active_profile();
`,
};
