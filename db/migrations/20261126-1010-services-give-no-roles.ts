import type { Migration } from "./migration.ts";

/** Only people give roles. */
export const servicesGiveNoRoles: Migration = {
  name: "20261126-1010-services-give-no-roles",
  up: `
-- Builds between two releases had it in the migration before this one.
alter table applications
  drop constraint if exists applications_service_gives_no_roles,
  add constraint applications_service_gives_no_roles
    check (type = 'useragent' or not 'role.modify' = any(scopes)) not valid;
`,
};
