import type { Migration } from "./migration.ts";

/** "My devices" shows people once that they were let back in. */
export const absence: Migration = {
  name: "20261126-1000-absence",
  up: `
create table absences (
  user_id bigint primary key references users,
  realm_id bigint not null references realms,
  ended_at timestamptz not null,
  back_at timestamptz not null
);
comment on table absences is 'From when to when the access of people had ended who have not been told since. Written by the trigger users_stay_offboarded, whoever lets them in.';

create or replace function keep_offboarded() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not (pg_has_role(current_user, 'realmpass_api', 'usage') or pg_has_role(current_user, 'realmpass_operator', 'usage')
          or pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage')) then
    raise exception 'only the api and the operator take an offboarding back'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  insert into absences (user_id, realm_id, ended_at, back_at)
  values (old.id, old.realm_id, old.offboarded_at, now())
  on conflict (user_id) do update set ended_at = excluded.ended_at, back_at = excluded.back_at;
  return new;
end
$body$;
`,
};
