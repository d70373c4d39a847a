import type { Migration } from "./migration.ts";

/** Whoever gives people roles is a person. */
export const servicesGiveNoRoles: Migration = {
  name: "20261126-1010-services-give-no-roles",
  up: `
alter table applications add constraint applications_service_gives_no_roles
  check (type = 'useragent' or not 'role.modify' = any(scopes)) not valid;
`,
};
