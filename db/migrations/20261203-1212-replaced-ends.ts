import type { Migration } from "./migration.ts";

/** For the upkeep that revokes replaced profiles: few among many. */
export const replacedEnds: Migration = {
  name: "20261203-1212-replaced-ends",
  transaction: false,
  up: `
create index concurrently if not exists issuances_replaced_ends
  on issuances (replaced_ends_at)
  where replaced_ends_at is not null
`,
};
