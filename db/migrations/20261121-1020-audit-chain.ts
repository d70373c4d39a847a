import type { Migration } from "./migration.ts";

export const auditChain: Migration = {
  name: "20261121-1020-audit-chain",
  up: `
create table audit_unsealed (
  realm_id bigint not null,
  entry_id bigint not null,
  primary key (realm_id, entry_id)
);
comment on table audit_unsealed is 'Audit entries that have no place in their realm''s chain yet. Filled by a trigger, so that whoever records an entry waits for nothing.';

create table audit_seals (
  realm_id bigint not null,
  position bigint not null check (position > 0),
  entry_id bigint not null unique,
  hash     bytea not null check (octet_length(hash) = 32),
  primary key (realm_id, position)
);
comment on table audit_seals is 'The place of each audit entry in its realm''s chain. docs/audit.md says what the hash is over. Append only.';

create table audit_heads (
  realm_id  bigint not null references realms,
  position  bigint not null check (position > 0),
  hash      bytea not null check (octet_length(hash) = 32),
  sealed_at timestamptz not null,
  signature text not null,
  primary key (realm_id, position)
);
comment on table audit_heads is 'Ends of chains as they were when entries were sealed, signed with a key that only workers hold. Append only.';
comment on column audit_heads.signature is 'Compact JWS (RFC 7515) over what the other columns say.';

create trigger audit_seals_append_only
  before update or delete or truncate on audit_seals
  for each statement execute function refuse_change();
create trigger audit_heads_append_only
  before update or delete or truncate on audit_heads
  for each statement execute function refuse_change();

insert into audit_unsealed (realm_id, entry_id) select realm_id, id from audit_entries;

create function await_sealing() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  insert into audit_unsealed (realm_id, entry_id) select realm_id, id from added;
  return null;
end
$body$;
revoke all on function await_sealing() from public;
create trigger audit_entries_await_sealing
  after insert on audit_entries
  referencing new table as added
  for each statement execute function await_sealing();

-- Lists filter by these and show the newest first.
create index audit_entries_by_event on audit_entries (realm_id, event, at desc, id desc);
create index audit_entries_by_user on audit_entries (realm_id, user_id, at desc, id desc) where user_id is not null;
create index audit_entries_by_client on audit_entries (realm_id, client_id, at desc, id desc) where client_id is not null;

grant select on audit_unsealed, audit_seals, audit_heads to realmpass_api, realmpass_worker, realmpass_operator;
grant select on audit_entries to realmpass_worker;
grant delete on audit_unsealed to realmpass_worker;
grant insert on audit_seals, audit_heads to realmpass_worker;
`,
};
