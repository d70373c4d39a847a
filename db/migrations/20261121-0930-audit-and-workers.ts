import type { Migration } from "./migration.ts";

export const auditAndWorkers: Migration = {
  name: "20261121-0930-audit-and-workers",
  up: `
create table audit_entries (
  id         bigint generated always as identity primary key,
  realm_id   bigint not null references realms,
  at         timestamptz not null,
  event      text not null check (event ~ '^[a-z]+(_[a-z]+)+$'),
  user_id    bigint,
  client_id  text,
  properties jsonb not null check (jsonb_typeof(properties) = 'object')
);
comment on table audit_entries is 'What was changed and by whom, written in the transaction of the change. Append only.';
comment on column audit_entries.user_id is 'Who acted, not whom it is about; without a foreign key, because entries outlive what they speak of.';
create index audit_entries_newest on audit_entries (realm_id, at desc, id desc);

create function refuse_change() returns trigger language plpgsql as $body$
begin
  raise exception 'audit entries are never changed or deleted' using errcode = 'insufficient_privilege';
end
$body$;
create trigger audit_entries_append_only
  before update or delete or truncate on audit_entries
  for each statement execute function refuse_change();

create table workers (
  id         uuid primary key,
  started_at timestamptz not null,
  seen_at    timestamptz not null
);
comment on table workers is 'A row per running worker, refreshed every few seconds and gone after a clean stop.';
`,
};
