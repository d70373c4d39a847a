import type { Migration } from "./migration.ts";

/** Responders ask for certificates by rows, and workers answer in rows: neither listens to the other. */
export const responderRequests: Migration = {
  name: "20261123-1110-responder-requests",
  up: `
create table responder_requests (
  id           bigint generated always as identity primary key,
  process_id   uuid not null,
  issuer_id    bigint not null references issuers,
  public_key   bytea not null check (octet_length(public_key) = 91),
  requested_at timestamptz not null default clock_timestamp(),
  taken_at     timestamptz,
  constraint responder_requests_public_key unique (public_key)
);
comment on table responder_requests is
  'Keys of OCSP responders that wait for their issuer''s certificate. A worker removes the row once it has signed, or an hour later.';
comment on column responder_requests.process_id is 'The responder; without a foreign key, because it may be gone.';
comment on column responder_requests.public_key is 'SubjectPublicKeyInfo of a P-256 key, DER.';
comment on column responder_requests.taken_at is 'When a worker last took it up; another one does so 10 s later.';

comment on column ocsp_responders.worker_id is 'The process whose key it is; without a foreign key, because rows outlive processes.';
comment on column ocsp_responders.public_key is
  'SubjectPublicKeyInfo, DER. The private key is in the memory of that process and nowhere else.';

alter table processes add constraint processes_responders_answer_ocsp check (ocsp_url is null or kind = 'responder');
comment on column processes.ocsp_url is 'Where the responder is reached.';
`,
};
