import type { Migration } from "./migration.ts";

/** Notes of staff on people, forgotten with them. The release before neither writes nor reads them. */
export const userNotes: Migration = {
  name: "20261201-1032-user-notes",
  up: `
create table user_notes (
  user_id    bigint primary key references users on delete cascade,
  realm_id   bigint not null references realms,
  note       text not null check (char_length(note) between 1 and 500),
  written_at timestamptz not null
);
comment on table user_notes is 'Notes of staff about people. The audit log has who wrote and when, never the text.';

create function forget_note() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  delete from user_notes where user_id = new.id;
  return null;
end
$$;
create trigger users_forget_note after update of forgotten_at on users
  for each row when (new.forgotten_at is not null) execute function forget_note();
`,
};
