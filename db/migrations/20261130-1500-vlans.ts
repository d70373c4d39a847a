import type { Migration } from "./migration.ts";

/** The VLANs of people, by rule or by hand. The release before neither writes nor reads them. */
export const vlans: Migration = {
  name: "20261130-1500-vlans",
  up: `
alter table realms add column vlan_rules jsonb not null default '[]', add column vlan_default text;
comment on column realms.vlan_rules is 'A list of {claim, value, vlan}: at a sign-in through the identity provider the first that fits gives the VLAN.';
comment on column realms.vlan_default is 'For people without another VLAN; null: the RADIUS server decides.';

create table user_vlans (
  user_id       bigint primary key references users on delete cascade,
  realm_id      bigint not null references realms,
  given         text,
  from_provider text,
  constraint user_vlans_any check (given is not null or from_provider is not null)
);
comment on table user_vlans is 'People whose devices get another VLAN than the realm''s default.';
comment on column user_vlans.given is 'Set by hand; counts before the other.';
comment on column user_vlans.from_provider is 'By the realm''s rules, at the latest sign-in.';
create index user_vlans_realm on user_vlans (realm_id, user_id);

create function forget_vlan() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  delete from user_vlans where user_id = new.id;
  return null;
end
$$;
create trigger users_forget_vlan after update of forgotten_at on users
  for each row when (new.forgotten_at is not null) execute function forget_vlan();
`,
};
