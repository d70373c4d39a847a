import type { Migration } from "./migration.ts";

/** Which device an issuance is for, and when the profile that it replaces ends. The release before reads neither. */
export const replacing: Migration = {
  name: "20261203-1210-replacing",
  up: `
alter table issuances
  add column device_hash bytea check (octet_length(device_hash) = 32),
  add column replaced_ends_at timestamptz;
comment on column issuances.device_hash is 'SHA-256 of the cookie by which the device is known again; null: none.';
comment on column issuances.replaced_ends_at is 'When the profile that this one replaces is revoked at the earliest; null: it replaces none, or its file was never sent.';
`,
};
