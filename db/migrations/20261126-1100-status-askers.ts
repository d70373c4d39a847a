import type { Migration } from "./migration.ts";

export const statusAskers: Migration = {
  name: "20261126-1100-status-askers",
  up: `
create table status_askers (
  issuer_id bigint not null references issuers,
  kind text not null check (kind in ('ocsp', 'crl')),
  address inet not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (issuer_id, kind, address),
  check (last_at >= first_at)
);
comment on table status_askers is 'Where from somebody asked for the status of certificates lately, at most 64 addresses for each issuer and kind: a hint whether RADIUS servers ask at all.';
comment on column status_askers.last_at is 'Written at most once a minute.';
`,
};
