import type { Migration } from "./migration.ts";

/**
 * The api sets a first password, for a user whom an operator's sign-in link has signed in; it makes no links itself.
 * The release before sets none.
 */
export const firstPasswords: Migration = {
  name: "20261201-1210-first-passwords",
  up: `
create function keep_passwords() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not pg_has_role(current_user, 'realmpass_operator', 'usage')
     and (old.password_hash is not null
          or not exists (select from sign_in_links l where l.user_id = old.user_id and l.consumed_at is not null)) then
    raise exception 'only the operator replaces a password, or sets one for a user without a used sign-in link'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$body$;

create trigger local_credentials_keep_passwords before update of password_hash on local_credentials
  for each row execute function keep_passwords();
`,
};
