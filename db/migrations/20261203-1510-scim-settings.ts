import type { Migration } from "./migration.ts";

/** How a realm's directory and its sign-in meet. The release before neither writes nor reads the columns. */
export const scimSettings: Migration = {
  name: "20261203-1510-scim-settings",
  up: `
alter table realms
  add column scim_pairwise text not null default 'externalId' check (scim_pairwise in ('externalId', 'userName')),
  add column new_people text not null default 'sign-in' check (new_people in ('sign-in', 'scim')),
  add column scim_window_from timestamptz;
comment on column realms.scim_pairwise is 'The SCIM attribute whose value is the pairwise id. It stays while scim_users has people of the realm.';
comment on column realms.new_people is 'Who makes people: sign-in, the first time; or scim, the directory alone.';
comment on column realms.scim_window_from is 'When a person last confirmed what the guard had held: it counts from then on.';

create function keep_scim_pairwise() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  -- Requests of directories that read it share this lock.
  perform pg_advisory_xact_lock(hashtextextended('scim pairwise', new.id));
  if exists (select from scim_users where realm_id = new.id) then
    raise exception 'the directory knows people by this attribute'
      using errcode = 'check_violation', constraint = 'realms_scim_pairwise_stays',
            schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$body$;
create trigger realms_scim_pairwise_stays before update of scim_pairwise on realms
  for each row when (new.scim_pairwise <> old.scim_pairwise)
  execute function keep_scim_pairwise();
`,
};
