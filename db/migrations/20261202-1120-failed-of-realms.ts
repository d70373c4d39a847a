import type { Migration } from "./migration.ts";

/** The latest failed issuances of a realm. */
export const failedOfRealms: Migration = {
  name: "20261202-1120-failed-of-realms",
  transaction: false,
  up: `create index concurrently issuances_failed_of_realm on issuances (realm_id, kind, created_at)
         where status = 'failed'`,
};
