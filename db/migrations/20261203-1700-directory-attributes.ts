import type { Migration } from "./migration.ts";

/** Attributes of directories that decide about VLANs and who may use a realm. The release before ignores them. */
export const directoryAttributes: Migration = {
  name: "20261203-1700-directory-attributes",
  up: `
alter table realms add column scim_attributes jsonb not null default '[]';
comment on column realms.scim_attributes is 'A list of {claim, path}: SCIM attributes that stand for claims of the rules.';
`,
};
