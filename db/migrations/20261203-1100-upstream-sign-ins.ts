import type { Migration } from "./migration.ts";

/** For the last sign-in through an identity provider: in a realm where nobody used it, every sign-in was read. */
export const upstreamSignIns: Migration = {
  name: "20261203-1100-upstream-sign-ins",
  transaction: false,
  up: `
create index concurrently if not exists audit_entries_upstream_sign_ins
  on audit_entries (realm_id, at)
  where event in ('user_login', 'admin_login') and properties ->> 'method' = 'upstream'
`,
};
