import type { Migration } from "./migration.ts";

/** CRLs of roots. The release before neither writes nor reads them. */
export const rootCrls: Migration = {
  name: "20261130-1100-root-crls",
  up: `
create table root_crls (
  root_fingerprint bytea primary key,
  number           bigint not null,
  this_update      timestamptz not null,
  next_update      timestamptz not null,
  entries          integer not null,
  der              bytea not null,
  constraint root_crls_fingerprint check (octet_length(root_fingerprint) = 32),
  constraint root_crls_period check (this_update < next_update)
);
comment on table root_crls is 'The current CRL of each root, which operators sign with the root''s key.';
comment on column root_crls.root_fingerprint is 'SHA-256 of the root''s certificate, the last of issuers.chain. Realms may share a root.';
`,
};
