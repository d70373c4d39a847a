import type { Migration } from "./migration.ts";

/**
 * Revocations of every kind by time, for lists of the newest, with the kind, to count the revocations of users.
 * Replaces `certificates_revoked_at`, which the previous release still reads.
 */
export const revokedIndex: Migration = {
  name: "20261126-1310-revoked-index",
  transaction: false,
  up: `
create index concurrently certificates_revoked on certificates (realm_id, revoked_at, id) include (kind) where revoked_at is not null;
`,
};
