import type { Migration } from "./migration.ts";

/** A certificate for servers names only hosts in domains that an operator has set. */
export const infrastructureDomains: Migration = {
  name: "20261123-1200-infrastructure-domains",
  up: `
alter table realms add column infrastructure_domains text[] not null default '{}';
alter table realms add constraint realms_infrastructure_domains check (
  cardinality(infrastructure_domains) <= 32
  and coalesce(array_ndims(infrastructure_domains), 1) = 1
  and array_position(infrastructure_domains, null) is null
  and array_position(infrastructure_domains, '') is null
);
comment on column realms.infrastructure_domains is 'The domains, beside its own, that DNS names of infrastructure profiles may be in; in lower case.';
`,
};
