import type { Migration } from "./migration.ts";

/** RADIUS servers ask who was revoked, wait for the answer, and are missed when they do not. */
export const revokedFeed: Migration = {
  name: "20261126-1300-revoked-feed",
  up: `
create table revoked_feed_readers (
  client_id text primary key references applications on delete cascade,
  realm_id  bigint not null references realms,
  read_at   timestamptz not null
);
comment on table revoked_feed_readers is 'Who asks for revocations to disconnect devices at once. Written once a minute at most.';

create function notify_revoked() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if exists (select from added) then
    perform pg_notify('revoked', '');
  end if;
  return null;
end
$$;
comment on function notify_revoked() is 'Wakes whoever waits for revocations, once for each transaction, however many it has.';

create trigger revocations_notify after insert on revocations
  referencing new table as added
  for each statement execute function notify_revoked();
`,
};
