import type { Migration } from "./migration.ts";

/**
 * An offboarding is never dated back: people who were offboarded long ago are forgotten, so an early date would erase a
 * person who has just left. Processes follow the database's clock, and wait for a connection or a lock for less than
 * ten minutes.
 */
export const offboardingDates: Migration = {
  name: "20261128-1110-offboarding-dates",
  up: `
create function keep_offboarding_date() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not (pg_has_role(current_user, 'realmpass_operator', 'usage')
          or pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage')) then
    raise exception 'an offboarding is not dated back'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$body$;

create trigger users_are_offboarded_now before update of offboarded_at on users
  for each row when (new.offboarded_at is distinct from old.offboarded_at
                     and new.offboarded_at < now() - interval '10 minutes')
  execute function keep_offboarding_date();
`,
};
