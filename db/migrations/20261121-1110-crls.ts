import type { Migration } from "./migration.ts";

/** Certificate revocation lists, from the revocation to the served list. docs/revocation.md has the steps. */
export const crls: Migration = {
  name: "20261121-1110-crls",
  up: `
create table crl_unpublished (
  issuer_id     bigint not null,
  id            bigint generated always as identity,
  serial_number text collate "C" not null,
  revoked_at    timestamptz not null,
  reason        smallint,
  not_after     timestamptz not null,
  primary key (issuer_id, id)
);
comment on table crl_unpublished is
  'Serial numbers that are to go on the CRL of their issuer. Filled by triggers, so that whoever revokes waits for nothing, and taken by whether a row is there, never by its number: one that commits late is found the next time.';
comment on column crl_unpublished.reason is 'CRLReason, RFC 5280 section 5.3.1; null for an abandoned serial number, which has none.';

create table crl_pieces (
  issuer_id bigint not null references issuers,
  id        bigint generated always as identity,
  week      integer not null,
  not_after timestamptz not null,
  entries   integer not null check (entries > 0),
  der       bytea not null,
  continues bigint,
  primary key (issuer_id, id)
);
alter table crl_pieces alter column der set storage external;
comment on table crl_pieces is
  'Entries of CRLs, encoded once. A piece never changes: one that is continued is replaced by another that begins with all of it, and one whose certificates have ended goes as a whole.';
comment on column crl_pieces.week is 'In which week since 1970 its certificates end, so that they can go together.';
comment on column crl_pieces.not_after is 'When the last of its certificates ends.';
comment on column crl_pieces.der is 'Elements of revokedCertificates (RFC 5280 section 5.1), one after another.';
comment on column crl_pieces.continues is 'The piece that this one begins with, and replaces.';
create index crl_pieces_of_week on crl_pieces (issuer_id, week, id);

create table crls (
  issuer_id    bigint primary key references issuers,
  number       bigint not null check (number > 0),
  this_update  timestamptz not null,
  next_update  timestamptz not null check (next_update > this_update),
  published_at timestamptz not null default now(),
  entries      integer not null check (entries >= 0),
  size         bigint not null check (size > 0),
  tag          text not null,
  head         bytea not null,
  pieces       bigint[] not null,
  tail         bytea not null,
  last_piece   bigint not null
);
comment on table crls is 'The current CRL of each issuer. Its DER is head, then the pieces in their order, then tail: publishing writes what is new, however long the list is.';
comment on column crls.number is 'CRLNumber, RFC 5280 section 5.2.3.';
comment on column crls.published_at is 'By the clock of the database, which is one for all workers.';
comment on column crls.tag is 'The entity tag of the DER, without quotes.';
comment on column crls.last_piece is 'Pieces with a higher id are not on a CRL yet.';

create table crl_requests (
  issuer_id    bigint primary key references issuers,
  requested_at timestamptz not null
);
comment on table crl_requests is 'An operator wants a new CRL of these issuers now.';

create function keep_crl_entries() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if tg_op = 'DELETE' then
    if exists (select
                 from crl_pieces
                where issuer_id = old.issuer_id
                  and week = old.week
                  and id > old.id
                  and continues = old.id
                  and entries >= old.entries
                  and substr(der, 1, octet_length(old.der)) = old.der)
       or exists (select
                    from crls
                   where issuer_id = old.issuer_id
                     and last_piece >= old.id
                     and this_update > old.not_after) then
      return old;
    end if;
  end if;
  raise exception 'an entry of a CRL is never taken back' using errcode = 'insufficient_privilege';
end
$body$;
create trigger crl_pieces_keep_entries
  before delete or update on crl_pieces
  for each row execute function keep_crl_entries();
create trigger crl_pieces_are_not_emptied
  before truncate on crl_pieces
  for each statement execute function keep_crl_entries();

create function number_crls() returns trigger
language plpgsql as $body$
begin
  if tg_op = 'UPDATE' and new.issuer_id = old.issuer_id and new.number > old.number and new.last_piece >= old.last_piece then
    return new;
  end if;
  raise exception 'a CRL is followed by one with a higher number' using errcode = 'insufficient_privilege';
end
$body$;
create trigger crls_only_go_forward
  before update or delete on crls
  for each row execute function number_crls();

create function await_publication() returns trigger
language plpgsql security definer set search_path = public, pg_temp set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  insert into crl_unpublished (issuer_id, serial_number, revoked_at, reason, not_after)
  select c.issuer_id, c.serial_number, added.revoked_at, added.reason, c.not_after
    from added
    join certificates c on c.id = added.certificate_id;
  return null;
end
$body$;
revoke all on function await_publication() from public;
create trigger revocations_await_publication
  after insert on revocations
  referencing new table as added
  for each statement execute function await_publication();

create function await_publication_of_abandoned() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  insert into crl_unpublished (issuer_id, serial_number, revoked_at, not_after)
  select issuer_id, serial_number, abandoned_at, not_after from added;
  return null;
end
$body$;
revoke all on function await_publication_of_abandoned() from public;
create trigger abandoned_serial_numbers_await_publication
  after insert on abandoned_serial_numbers
  referencing new table as added
  for each statement execute function await_publication_of_abandoned();

-- What was revoked before there were CRLs. The triggers' locks keep more from coming in between.
insert into crl_unpublished (issuer_id, serial_number, revoked_at, reason, not_after)
select issuer_id, serial_number, revoked_at, reason, not_after
  from (select c.issuer_id, c.serial_number, r.revoked_at, r.reason, c.not_after
          from revocations r
          join certificates c on c.id = r.certificate_id
         where c.not_after > now()
         union all
        select issuer_id, serial_number, abandoned_at, null, not_after
          from abandoned_serial_numbers
         where not_after > now()) as earlier
 order by not_after;

grant select on crls, crl_pieces to realmpass_api;
grant select on crls, crl_pieces, crl_unpublished, crl_requests to realmpass_worker, realmpass_operator;
grant insert, update on crls to realmpass_worker;
grant insert, delete on crl_pieces to realmpass_worker;
grant delete on crl_unpublished, crl_requests to realmpass_worker;
grant insert on crl_requests to realmpass_operator;

-- Rows come and go: tidying must not wait for a share of what was once there.
alter table crl_unpublished set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
alter table crl_pieces set (autovacuum_vacuum_scale_factor = 0.02);
`,
};
