import type { Migration } from "./migration.ts";

export const failedOfGuestAccounts: Migration = {
  name: "20261126-1130-failed-of-guest-accounts",
  transaction: false,
  up: `create index concurrently issuances_failed_of_guest_account on issuances (guest_account_id)
         where status = 'failed' and guest_account_id is not null`,
};
