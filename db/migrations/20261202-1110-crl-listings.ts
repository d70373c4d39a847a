import type { Migration } from "./migration.ts";

/**
 * When the latest revocations were first on a published CRL. Triggers write it, so also for workers of the release
 * before, which does not read it.
 */
export const crlListings: Migration = {
  name: "20261202-1110-crl-listings",
  up: `
create table crl_listings (
  issuer_id     bigint not null references issuers,
  serial_number text collate "C" not null,
  revoked_at    timestamptz not null,
  published_at  timestamptz,
  primary key (issuer_id, serial_number)
);
comment on table crl_listings is 'When the latest revocations of each issuer were published: at most 200, and until the next CRL as many of each transaction that packed entries.';
comment on column crl_listings.published_at is 'Of the first CRL with it; null: packed, and not published yet.';

create function note_listings() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  insert into crl_listings (issuer_id, serial_number, revoked_at)
  select issuer_id, serial_number, revoked_at
    from (select *, row_number() over (partition by issuer_id order by revoked_at desc, id desc) as place
            from taken
           where reason is not null) as latest
   where place <= 200
  on conflict do nothing;
  return null;
end
$body$;
revoke all on function note_listings() from public;
create trigger crl_unpublished_note_listings
  after delete on crl_unpublished
  referencing old table as taken
  for each statement execute function note_listings();

-- Whoever publishes holds the lock that packing needs: every packed entry is on this CRL.
create function note_publication() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  update crl_listings
     set published_at = clock_timestamp()
   where issuer_id = new.issuer_id
     and published_at is null;
  delete from crl_listings
   where issuer_id = new.issuer_id
     and serial_number in (select serial_number
                             from crl_listings
                            where issuer_id = new.issuer_id
                            order by revoked_at desc, serial_number
                           offset 200);
  return null;
end
$body$;
revoke all on function note_publication() from public;
create trigger crls_note_publication
  after insert or update on crls
  for each row execute function note_publication();
`,
};
