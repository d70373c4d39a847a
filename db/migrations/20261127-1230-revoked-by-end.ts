import type { Migration } from "./migration.ts";

/** Revoked profiles of people in the order in which they would have ended. */
export const revokedByEnd: Migration = {
  name: "20261127-1230-revoked-by-end",
  transaction: false,
  up: `
create index concurrently certificates_revoked_ending on certificates (realm_id, not_after, id)
  where kind = 'user' and revoked_at is not null;
`,
};
