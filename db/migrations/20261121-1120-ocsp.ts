import type { Migration } from "./migration.ts";

/** The addresses at which workers answer OCSP, and their certificates. */
export const ocsp: Migration = {
  name: "20261121-1120-ocsp",
  up: `
alter table workers add column ocsp_url text check (ocsp_url ~ '^http://[A-Za-z0-9._:\\[\\]-]{1,255}$');
comment on column workers.ocsp_url is 'Where the worker''s OCSP listener is reached; null while it has none.';

create table ocsp_responders (
  issuer_id     bigint not null references issuers,
  serial_number text collate "C" not null check (serial_number ~ '^[1-9][0-9]{0,47}$'),
  worker_id     uuid not null,
  public_key    bytea not null,
  not_before    timestamptz not null,
  not_after     timestamptz not null check (not_after > not_before),
  certificate   bytea,
  created_at    timestamptz not null,
  primary key (serial_number, issuer_id),
  constraint ocsp_responders_public_key unique (public_key)
);
comment on table ocsp_responders is
  'Certificates of delegated OCSP responders: all that issuers have signed besides certificates and abandoned_serial_numbers. Written before it is signed.';
comment on column ocsp_responders.worker_id is 'Whose key it is; without a foreign key, because rows outlive workers.';
comment on column ocsp_responders.public_key is 'SubjectPublicKeyInfo, DER. The private key is in the memory of that worker and nowhere else.';
comment on column ocsp_responders.certificate is 'DER; null when it was not signed, or nobody saw it signed.';

grant select, insert on ocsp_responders to realmpass_worker;
grant update (certificate) on ocsp_responders to realmpass_worker;
grant select on ocsp_responders to realmpass_operator;

-- Room on each page for a row whose last_ocsp_at is written anew: no index has that column, so none is touched then.
alter table certificates set (fillfactor = 85);
`,
};
