import type { Migration } from "./migration.ts";

/** Codes of guest accounts. The release before neither writes nor reads them; its links keep working. */
export const guestCodes: Migration = {
  name: "20261203-1400-guest-codes",
  up: `
alter table guest_accounts add column code_hash bytea check (octet_length(code_hash) = 32);
comment on column guest_accounts.code_hash is 'HMAC of the code under a key of its own. Null: the code was never shown.';
`,
};
