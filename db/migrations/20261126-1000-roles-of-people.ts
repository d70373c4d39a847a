import type { Migration } from "./migration.ts";

/** Roles of people in place of a flag for administrators. */
export const rolesOfPeople: Migration = {
  name: "20261126-1000-roles-of-people",
  up: `
-- Not checked for rows that are there: they begin without roles.
alter table users
  add column roles text[] not null default '{}',
  add column provider_roles text[] not null default '{}',
  add constraint users_known_roles
    check (roles || provider_roles <@ array['administrator', 'help_desk', 'guest_manager', 'auditor']) not valid;
comment on column users.roles is 'Given here. What the person may do is what these and provider_roles let them do together.';
comment on column users.provider_roles is 'Given by the identity provider, at the latest sign-in through it.';
comment on column users.administrator is 'Whether one of the roles is administrator, for the release before roles; a trigger keeps it so.';

update users set roles = '{administrator}' where administrator;

create function keep_administrator() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  -- The release before roles writes this column alone.
  if tg_op = 'INSERT' then
    if new.administrator and not 'administrator' = any(new.roles || new.provider_roles) then
      new.roles := new.roles || 'administrator'::text;
    end if;
  elsif new.administrator <> old.administrator and new.roles = old.roles and new.provider_roles = old.provider_roles then
    new.roles := array_remove(new.roles, 'administrator');
    new.provider_roles := array_remove(new.provider_roles, 'administrator');
    if new.administrator then new.roles := new.roles || 'administrator'::text; end if;
  end if;
  new.administrator := 'administrator' = any(new.roles || new.provider_roles);
  return new;
end
$body$;
create trigger users_administrator_of_new before insert on users
  for each row when (new.administrator or new.roles <> '{}' or new.provider_roles <> '{}')
  execute function keep_administrator();
create trigger users_administrator before update of administrator, roles, provider_roles on users
  for each row execute function keep_administrator();

create function keep_an_administrator() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  -- One after the other, so that of two who leave at the same moment the second sees that the first has left.
  perform from realms where id = new.realm_id for no key update;
  if not exists (select from users
                  where realm_id = new.realm_id
                    and offboarded_at is null
                    and 'administrator' = any(roles || provider_roles)) then
    raise exception 'a realm keeps an administrator'
      using errcode = 'check_violation', constraint = 'users_keep_an_administrator',
            schema = tg_table_schema, table = tg_table_name;
  end if;
  return null;
end
$body$;
comment on function keep_an_administrator is 'Refuses to let the last administrator of a realm go. The operator may.';
revoke all on function keep_an_administrator() from public;
create trigger users_keep_an_administrator after update of administrator, roles, provider_roles, offboarded_at on users
  for each row when (old.offboarded_at is null
                     and 'administrator' = any(old.roles || old.provider_roles)
                     and (new.offboarded_at is not null or not 'administrator' = any(new.roles || new.provider_roles))
                     and not pg_has_role(current_user, 'realmpass_operator', 'usage'))
  execute function keep_an_administrator();
`,
};
