import type { Migration } from "./migration.ts";

/**
 * `certificates_revoked` answers what this index was for, also for the release before: each index of certificates is work
 * at every revocation.
 */
export const oneIndexOfRevoked: Migration = {
  name: "20261127-1240-one-index-of-revoked",
  up: `
drop index certificates_revoked_at;
`,
};
