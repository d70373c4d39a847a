import type { Migration } from "./migration.ts";

/** The first large onboarding of an installation does not wait for autovacuum to look at the table of people. */
export const analyzeGrownUsers: Migration = {
  name: "20261126-1400-analyze-grown-users",
  up: `
create function analyze_grown_users() returns boolean
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  if pg_relation_size('users') < 4 * 8192 * (select greatest(relpages, 1)::bigint from pg_class where oid = 'users'::regclass)
     or not pg_try_advisory_xact_lock(7246731) then
    return false;
  end if;
  analyze users;
  return true;
end
$body$;
comment on function analyze_grown_users is 'Gives the planner statistics of a table of people that is four times as large as when it was last looked at. Plans that were made while it was almost empty, also those of foreign keys, read through everybody for each row; all sessions drop them with this.';
revoke all on function analyze_grown_users() from public;
`,
};
