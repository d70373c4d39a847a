import type { Migration } from "./migration.ts";

/** Profiles on their way to a device, and renewals. */
export const handOvers: Migration = {
  name: "20261121-1150-hand-overs",
  up: `
create table hand_overs (
  id                   uuid primary key,
  token_hash           bytea not null unique check (octet_length(token_hash) = 32),
  realm_id             bigint not null references realms,
  user_id              bigint references users on delete cascade,
  guest_account_id     bigint references guest_accounts on delete cascade,
  device_type          text not null check (device_type in ('MacOS', 'iOS', 'iPadOS', 'Android', 'Windows', 'Linux', 'ChromeOS', 'Other')),
  name                 text not null check (char_length(name) between 1 and 64),
  format               text check (format in ('pkcs12', 'pfx', 'pem', 'crt', 'mobileconfig', 'eap-config')),
  renews_serial_number text check (renews_serial_number ~ '^[1-9][0-9]{0,47}$'),
  created_at           timestamptz not null,
  expires_at           timestamptz not null,
  picked_up_at         timestamptz,
  picked_up_by         text check (char_length(picked_up_by) <= 40),
  picker_hash          bytea check (octet_length(picker_hash) = 32),
  issuance_id          uuid unique,
  offered_at           timestamptz,
  downloaded_at        timestamptz,
  constraint hand_overs_owner check ((user_id is null) <> (guest_account_id is null)),
  constraint hand_overs_picked_up check (
    (picked_up_at is null) = (issuance_id is null)
    and (picked_up_at is null) = (picker_hash is null)
    and (picked_up_at is not null or (offered_at is null and downloaded_at is null))
  )
);
comment on table hand_overs is 'Permission for one device to have one profile made. Taken once, by whoever is first.';
comment on column hand_overs.token_hash is 'SHA-256 of the token, which follows from the id under the master key.';
comment on column hand_overs.format is 'Null: what suits the device that picks it up.';
comment on column hand_overs.renews_serial_number is 'The profile whose place the new one takes.';
comment on column hand_overs.picker_hash is 'SHA-256 of the cookie of the browser that took it: nobody else gets the file.';
comment on column hand_overs.issuance_id is 'Without a foreign key: written before the issuance, in the same transaction.';
comment on column hand_overs.offered_at is 'When that browser was first shown that the file is ready; it can be fetched for two minutes from then.';
create index hand_overs_of_user on hand_overs (user_id, expires_at) where user_id is not null;
create index hand_overs_of_guest_account on hand_overs (guest_account_id, expires_at) where guest_account_id is not null;
create index hand_overs_expiry on hand_overs (expires_at);

alter table issuances add column renews_certificate_id bigint references certificates;
alter table issuances add column beyond_limit boolean not null default false;
alter table issuances add constraint issuances_renewal check (
  (renews_certificate_id is null or kind = 'user') and (not beyond_limit or renews_certificate_id is not null)
);
comment on column issuances.renews_certificate_id is 'The profile whose place this one takes.';
comment on column issuances.beyond_limit is 'A renewal that the owner''s limit had no room for: the old profile goes a day later at the latest.';
create index issuances_renewals_of_user on issuances (user_id, renews_certificate_id) where renews_certificate_id is not null;
create index issuances_beyond_limit on issuances (finished_at) where beyond_limit;

grant select, insert, update on hand_overs to realmpass_api;
grant select (id, issuance_id, picked_up_at, offered_at, expires_at), delete on hand_overs to realmpass_worker;
grant select on hand_overs to realmpass_operator;
`,
};
