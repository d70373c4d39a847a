import type { Migration } from "./migration.ts";

/** A code is one hand-over's. */
export const oneShortCode: Migration = {
  name: "20261201-1031-one-short-code",
  transaction: false,
  up: `create unique index concurrently if not exists hand_overs_code_hash on hand_overs (code_hash);`,
};
