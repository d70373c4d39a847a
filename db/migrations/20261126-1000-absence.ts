import type { Migration } from "./migration.ts";

/** People who were let back in are told so, once. */
export const absence: Migration = {
  name: "20261126-1000-absence",
  up: `
alter table users add column absence tstzrange;
comment on column users.absence is 'From when to when the access of this person had ended, for as long as they have not been told. Set by the trigger users_stay_offboarded, whoever lets them in.';

create or replace function keep_offboarded() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not (pg_has_role(current_user, 'realmpass_api', 'usage') or pg_has_role(current_user, 'realmpass_operator', 'usage')
          or pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage')) then
    raise exception 'only the api and the operator take an offboarding back'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  new.absence := tstzrange(old.offboarded_at, greatest(old.offboarded_at, now()), '[]');
  return new;
end
$body$;
`,
};
