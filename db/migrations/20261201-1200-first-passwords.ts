import type { Migration } from "./migration.ts";

/** The api sets the first password of a local account, for the user whom a link signed in. It never replaces one. */
export const firstPasswords: Migration = {
  name: "20261201-1200-first-passwords",
  up: `
create function keep_passwords() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not pg_has_role(current_user, 'realmpass_operator', 'usage') then
    raise exception 'only the operator replaces a password' using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$body$;
comment on function keep_passwords() is 'Whoever takes over an api cannot change how administrators sign in.';

create trigger local_credentials_keep_passwords
  before update of password_hash on local_credentials
  for each row when (old.password_hash is not null and new.password_hash is distinct from old.password_hash)
  execute function keep_passwords();
`,
};
