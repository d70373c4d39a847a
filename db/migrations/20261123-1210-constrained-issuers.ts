import type { Migration } from "./migration.ts";

/** The domains that an issuing CA permits, for the api, which reads no certificate. */
export const constrainedIssuers: Migration = {
  name: "20261123-1210-constrained-issuers",
  up: `
alter table issuers add column permitted_domains text[];
comment on column issuers.permitted_domains is 'The domains that the certificate''s name constraints let DNS names be in; null: it has no name constraints.';
`,
};
