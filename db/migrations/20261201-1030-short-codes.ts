import type { Migration } from "./migration.ts";

/** Short codes of hand-overs. The release before neither writes nor reads them; its links keep working. */
export const shortCodes: Migration = {
  name: "20261201-1030-short-codes",
  up: `
alter table hand_overs add column code_hash bytea;
comment on column hand_overs.code_hash is 'HMAC of the short code under a key of its own. Null: made by the release before.';
`,
};
