import type { Migration } from "./migration.ts";

/** A code is one account's. */
export const oneGuestCode: Migration = {
  name: "20261203-1401-one-guest-code",
  transaction: false,
  up: `create unique index concurrently if not exists guest_accounts_code_hash on guest_accounts (code_hash);`,
};
