import type { Migration } from "./migration.ts";

export const issuersAndCertificates: Migration = {
  name: "20261121-0910-issuers-and-certificates",
  up: `
create table issuers (
  id          bigint generated always as identity primary key,
  realm_id    bigint not null references realms,
  certificate bytea not null,
  chain       bytea[] not null default '{}',
  fingerprint bytea not null unique check (octet_length(fingerprint) = 32),
  subject     text not null,
  not_before  timestamptz not null,
  not_after   timestamptz not null check (not_after > not_before),
  issuing     boolean not null,
  created_at  timestamptz not null
);
comment on table issuers is 'Issuing CAs. One per realm issues; earlier ones keep publishing CRLs and OCSP answers until they end.';
comment on column issuers.certificate is 'DER.';
comment on column issuers.chain is 'DER certificates above the issuer, root last.';
comment on column issuers.fingerprint is 'SHA-256 of the certificate.';
create unique index issuers_one_issuing on issuers (realm_id) where issuing;

create table issuer_keys (
  issuer_id     bigint primary key references issuers on delete cascade,
  encrypted_key jsonb not null
);
comment on table issuer_keys is 'Private keys of issuers under the issuer key passphrase (scrypt, AES-256-GCM). Not readable by the API.';

create table certificates (
  id                bigint generated always as identity primary key,
  realm_id          bigint not null references realms,
  issuer_id         bigint not null references issuers,
  serial_number     text collate "C" not null check (serial_number ~ '^[1-9][0-9]{0,47}$'),
  issuance_id       uuid not null,
  kind              text not null check (kind in ('user', 'guest', 'infrastructure')),
  user_id           bigint references users,
  guest_account_id  bigint references guest_accounts,
  name              text not null,
  description       text,
  device_type       text check (device_type in ('MacOS', 'iOS', 'iPadOS', 'Android', 'Windows', 'Linux', 'ChromeOS', 'Other')),
  authable          boolean not null default false,
  identity          text not null,
  certificate       bytea not null,
  spki_sha256       bytea not null check (octet_length(spki_sha256) = 32),
  created_at        timestamptz not null,
  not_before        timestamptz not null,
  not_after         timestamptz not null check (not_after > not_before),
  revoked_at        timestamptz,
  revocation_reason smallint check (revocation_reason in (0, 1, 3, 4, 5, 9)),
  last_ocsp_at      timestamptz,
  constraint certificates_owner check (
    (kind = 'user' and user_id is not null and guest_account_id is null)
    or (kind = 'guest' and user_id is null and guest_account_id is not null)
    or (kind = 'infrastructure' and user_id is null and guest_account_id is null)
  ),
  constraint certificates_revocation check ((revoked_at is null) = (revocation_reason is null)),
  constraint certificates_one_per_issuance unique (issuance_id),
  constraint certificates_serial_number unique (serial_number, issuer_id),
  constraint certificates_public_key unique (spki_sha256)
);
comment on table certificates is 'Profiles of all three kinds. Written by workers alone, when a certificate exists.';
comment on column certificates.certificate is 'DER.';
comment on column certificates.spki_sha256 is 'SHA-256 of the SubjectPublicKeyInfo: no key is ever certified twice.';
comment on column certificates.revoked_at is 'Set by a row in revocations, and never taken back.';
create index certificates_of_user on certificates (user_id, created_at desc, id desc) where user_id is not null;
create index certificates_of_guest_account on certificates (guest_account_id, created_at desc, id desc) where guest_account_id is not null;
create index certificates_newest on certificates (realm_id, kind, created_at desc, id desc);

create table revocations (
  certificate_id bigint primary key references certificates,
  revoked_at     timestamptz not null,
  reason         smallint not null check (reason in (0, 1, 3, 4, 5, 9))
);
comment on table revocations is 'What revokes: whoever may insert here may revoke, and nobody can take it back.';
comment on column revocations.reason is 'CRLReason, RFC 5280 section 5.3.1.';

create function mark_revoked() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  update certificates
     set revoked_at = added.revoked_at,
         revocation_reason = added.reason
    from added
   where certificates.id = added.certificate_id
     and certificates.revoked_at is null;
  return null;
end
$body$;
revoke all on function mark_revoked() from public;
create trigger revocations_mark_certificates
  after insert on revocations
  referencing new table as added
  for each statement execute function mark_revoked();

create table issuances (
  id                   uuid primary key,
  realm_id             bigint not null references realms,
  kind                 text not null check (kind in ('user', 'guest', 'infrastructure')),
  user_id              bigint references users,
  guest_account_id     bigint references guest_accounts,
  batch_id             uuid,
  batch_position       integer check (batch_position >= 0),
  name                 text not null check (char_length(name) between 1 and 64),
  description          text,
  device_type          text check (device_type in ('MacOS', 'iOS', 'iPadOS', 'Android', 'Windows', 'Linux', 'ChromeOS', 'Other')),
  format               text not null check (format in ('pkcs12', 'pfx', 'pem', 'crt')),
  key_type             text not null check (key_type in ('ec-p256', 'rsa-2048', 'rsa-3072')),
  csr                  text check (char_length(csr) <= 16384),
  authable             boolean not null default false,
  validity_months      integer not null check (validity_months between 1 and 60),
  created_at           timestamptz not null,
  created_by_user_id   bigint,
  created_by_client_id text,
  status               text not null default 'queued' check (status in ('queued', 'signing', 'issued', 'failed')),
  failures             integer not null default 0,
  claims               integer not null default 0,
  claim_id             uuid,
  lease_expires_at     timestamptz,
  issuer_id            bigint references issuers,
  serial_number        text collate "C",
  identity             text,
  not_before           timestamptz,
  not_after            timestamptz,
  finished_at          timestamptz,
  error_code           text,
  constraint issuances_owner check (
    (kind = 'user' and user_id is not null and guest_account_id is null)
    or (kind = 'guest' and user_id is null and guest_account_id is not null)
    or (kind = 'infrastructure' and user_id is null and guest_account_id is null)
  ),
  constraint issuances_batch check ((batch_id is null) = (batch_position is null)),
  constraint issuances_state check (
    case status
      when 'queued'  then serial_number is null and claim_id is null and finished_at is null and error_code is null
      when 'signing' then serial_number is not null and claim_id is not null and lease_expires_at is not null
                          and issuer_id is not null and identity is not null and finished_at is null and error_code is null
      when 'issued'  then serial_number is not null and finished_at is not null and error_code is null
      else finished_at is not null and error_code is not null
    end
  )
);
comment on table issuances is 'The durable record of one creation. The queue only says that there is something to do; this row says what.';
comment on column issuances.failures is 'How often a worker tried and said that it failed. Outages do not count.';
comment on column issuances.claims is 'How often a worker began. Many more than failures: the row takes its worker down.';
comment on column issuances.claim_id is 'Which attempt holds the row; settling with another one changes nothing.';
comment on column issuances.serial_number is 'The intent: recorded before the signature exists, so that a crash leaves a serial number to account for.';
create index issuances_unsettled on issuances (created_at) where status in ('queued', 'signing');
create index issuances_in_hand on issuances (claim_id) where status = 'signing';
create index issuances_unsettled_of_user on issuances (user_id) where status in ('queued', 'signing');
create index issuances_unsettled_of_guest_account on issuances (guest_account_id) where status in ('queued', 'signing') and guest_account_id is not null;
create unique index issuances_batch_position on issuances (batch_id, batch_position) where batch_id is not null;

create table abandoned_serial_numbers (
  issuer_id     bigint not null references issuers,
  serial_number text collate "C" not null,
  issuance_id   uuid not null,
  not_after     timestamptz not null,
  abandoned_at  timestamptz not null,
  primary key (serial_number, issuer_id)
);
comment on table abandoned_serial_numbers is
  'Serial numbers of attempts that did not end in a certificate we know. A signature may exist that nobody saw, so they go on the CRL.';

create table output_data_keys (
  id         uuid primary key,
  wrapped    bytea not null,
  created_at timestamptz not null
);
comment on table output_data_keys is 'Data keys that outputs are sealed with, each wrapped to the API''s public key.';

create table issuance_outputs (
  issuance_id  uuid primary key references issuances on delete cascade,
  data_key_id  uuid not null references output_data_keys,
  sealed       bytea,
  created_at   timestamptz not null,
  collected_at timestamptz
);
comment on table issuance_outputs is 'What the requester collects: sealed so that only the API reads it, and erased soon after.';
comment on column issuance_outputs.sealed is 'Null once erased.';
create index issuance_outputs_unerased on issuance_outputs (created_at) where sealed is not null;
create index issuance_outputs_collected on issuance_outputs (collected_at) where sealed is not null and collected_at is not null;
create index issuance_outputs_of_data_key on issuance_outputs (data_key_id) where sealed is not null;
`,
};
