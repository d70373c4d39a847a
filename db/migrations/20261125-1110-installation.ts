import type { Migration } from "./migration.ts";

/** Which versions may use the database. */
export const installation: Migration = {
  name: "20261125-1110-installation",
  up: `
create table installation (
  id boolean primary key default true check (id),
  minimum_migration text,
  migrated_to text
);
insert into installation default values;
comment on table installation is 'One row about the database as a whole.';
comment on column installation.minimum_migration is 'Set by a migration that takes something away, to the newest migration of the first release that did without it: code that does not know that one does not start. Null: nothing was taken away.';
comment on column installation.migrated_to is 'The newest migration of the version that migrated last, once the roles have the rights of that version; its processes begin then.';
`,
};
