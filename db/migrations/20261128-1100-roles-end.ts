import type { Migration } from "./migration.ts";

/**
 * An offboarding ends the roles of its person, whatever writes the row, and a reactivation begins without any: a
 * person whom an earlier version offboarded still has them.
 */
export const rolesEnd: Migration = {
  name: "20261128-1100-roles-end",
  up: `
create function end_roles() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  new.roles := '{}';
  new.provider_roles := '{}';
  new.administrator := false;
  return new;
end
$body$;
comment on function end_roles is 'Takes all roles from a person who is offboarded or comes back. Roles from the identity provider return with the next sign-in through it.';

create trigger users_change_sides_without_roles before update of offboarded_at on users
  for each row when ((old.offboarded_at is null) <> (new.offboarded_at is null)
                     and (new.roles <> '{}' or new.provider_roles <> '{}'))
  execute function end_roles();
`,
};
